//! A folder on an object store.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use foldtrace_trace::{ErrorKind, TraceError};
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt, RetryConfig};
use tokio::runtime::{Builder, Runtime};

use crate::cache::Blocks;
use crate::error::{explained, io_error, unusable};

/// The scheme of the URLs.
const SCHEME: &str = "s3:/";

/// How long a request that fails is tried again. Without a limit of its own, a wrong name of a server takes minutes.
const RETRY: Duration = Duration::from_secs(20);

/// The threads that wait for the network.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
});

/// A folder on an object store. Clones share its connections.
#[derive(Clone)]
pub struct ObjectFolder(Arc<Inner>);

struct Inner {
    url: PathBuf,
    store: AmazonS3,
    prefix: Key,
    blocks: Blocks,
}

impl fmt::Debug for ObjectFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The client knows the credentials, and is left out.
        f.debug_tuple("ObjectFolder").field(&self.0.url).finish()
    }
}

/// An object in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The path within the folder.
    pub path: String,
    /// The number of bytes.
    pub bytes: u64,
}

impl ObjectFolder {
    /// Prepares the use of a folder; there is no request yet.
    ///
    /// # Errors
    /// Returns an error if `url` is not the URL of a folder, or if the environment is contradictory.
    pub fn new(url: &Path) -> Result<Self, TraceError> {
        let (bucket, prefix) = parse(url)?;
        let retry = RetryConfig {
            max_retries: 4,
            retry_timeout: RETRY,
            ..RetryConfig::default()
        };
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_retry(retry)
            .build()
            .map_err(|error| unusable(url, error))?;
        Ok(Self(Arc::new(Inner {
            url: url.to_owned(),
            store,
            prefix,
            blocks: Blocks::default(),
        })))
    }

    /// Returns the folders around this one, within its bucket.
    pub fn around(&self) -> impl Iterator<Item = Self> {
        let urls = self.url().ancestors().skip(1);
        let folders = urls.map_while(|url| Some((url, parse(url).ok()?.1)));
        folders.map(|(url, prefix)| self.with(url.to_owned(), prefix))
    }

    /// Returns a folder within this one.
    ///
    /// # Errors
    /// Returns an error if there cannot be a folder of this name.
    pub fn within(&self, name: &str) -> Result<Self, TraceError> {
        let url = self.url().join(name);
        let (_, prefix) = parse(&url)?;
        Ok(self.with(url, prefix))
    }

    /// Returns another folder in the same bucket.
    fn with(&self, url: PathBuf, prefix: Key) -> Self {
        Self(Arc::new(Inner {
            url,
            store: self.0.store.clone(),
            prefix,
            blocks: Blocks::default(),
        }))
    }

    /// Returns the URL.
    #[must_use]
    pub fn url(&self) -> &Path {
        &self.0.url
    }

    /// Reads an object.
    ///
    /// # Errors
    /// Returns an error if it does not exist or cannot be read.
    pub fn read(&self, path: &str) -> io::Result<Bytes> {
        wait(async { self.store().get(&self.key(path)?).await?.bytes().await })
    }

    /// Reads an object; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, which says where the server and the credentials come from.
    pub fn read_if_exists(&self, path: &str) -> Result<Option<Bytes>, TraceError> {
        match self.read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read
                .map(Some)
                .map_err(|error| explained(TraceError::unreadable(&self.url().join(path), error))),
        }
    }

    /// Returns the number of bytes of an object.
    ///
    /// # Errors
    /// Returns an error if it does not exist or cannot be read.
    pub fn size_of(&self, path: &str) -> io::Result<u64> {
        wait(async { Ok(self.store().head(&self.key(path)?).await?.size) })
    }

    /// Returns all objects in the folder and its subfolders.
    ///
    /// # Errors
    /// Returns an error if they cannot be listed.
    pub fn list(&self) -> io::Result<Vec<Object>> {
        let inner = &*self.0;
        let within = |key: &Key| {
            let parts = key.prefix_match(&inner.prefix)?;
            let parts: Vec<_> = parts.map(|part| part.as_ref().to_owned()).collect();
            Some(parts.join("/"))
        };
        wait(async {
            let objects = inner.store.list(Some(&inner.prefix));
            let objects = objects.try_filter_map(async |object| {
                Ok(within(&object.location).map(|path| Object {
                    path,
                    bytes: object.size,
                }))
            });
            objects.try_collect().await
        })
    }

    /// Writes a small object, or replaces it.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn write(&self, path: &str, bytes: Bytes) -> io::Result<()> {
        wait(async {
            let key = self.key(path)?;
            self.store().put(&key, bytes.into()).await.map(drop)
        })
    }

    /// Removes an object; it need not exist.
    ///
    /// # Errors
    /// Returns an error if the request fails.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        match wait(async { self.store().delete(&self.key(path)?).await }) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    pub(crate) fn blocks(&self) -> &Blocks {
        &self.0.blocks
    }

    pub(crate) fn store(&self) -> &AmazonS3 {
        &self.0.store
    }

    /// Returns the key of an object: the text of its path, as other programs use it.
    pub(crate) fn key(&self, path: &str) -> object_store::Result<Key> {
        Ok(Key::parse(format!("{}/{path}", self.0.prefix))?)
    }
}

/// Waits for the end of a request.
pub(crate) fn wait<T>(request: impl Future<Output = object_store::Result<T>>) -> io::Result<T> {
    match &*RUNTIME {
        Ok(runtime) => runtime.block_on(request).map_err(io_error),
        Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
    }
}

/// Returns the bucket and the key of a URL.
fn parse(url: &Path) -> Result<(&str, Key), TraceError> {
    let error = |message: &str| {
        TraceError::new(ErrorKind::Usage, message)
            .hint("name a folder such as s3://bucket/traces/run.fold")
    };
    let text = url.to_str().and_then(|url| url.strip_prefix(SCHEME));
    let text = text.ok_or_else(|| error("the URL of the folder is not valid"))?;
    let text = text.strip_prefix('/').unwrap_or(text);
    let (bucket, folder) = text.split_once('/').unwrap_or((text, ""));
    if bucket.contains(['@', ':']) {
        // The message does not repeat the URL, which may contain a password.
        return Err(error("a URL must not contain a user or a password")
            .hint("credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"));
    }
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let is_query = folder.contains(['?', '#']);
    if bucket.is_empty() || parts.is_empty() || is_query {
        return Err(error("the URL does not name a folder of a bucket"));
    }
    let key = Key::parse(parts.join("/"));
    Ok((
        bucket,
        key.map_err(|cause| error("the URL of the folder is not valid").caused_by(cause))?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_bucket_and_a_folder() {
        let of = |url: &str| {
            let parsed = parse(Path::new(url)).ok();
            parsed.map(|(bucket, key)| (bucket.to_owned(), key.to_string()))
        };
        let expected = Some(("traces".to_owned(), "2026/run.fold".to_owned()));
        assert_eq!(of("s3://traces/2026/run.fold"), expected);
        assert_eq!(of("s3://traces//2026/run.fold/"), expected);
        assert_eq!(of("s3:/traces/2026/run.fold"), expected);
        let odd = Some(("traces".to_owned(), "größe 7/50%20.fold".to_owned()));
        assert_eq!(of("s3://traces/größe 7/50%20.fold"), odd);
        let invalid = [
            "s3://traces",
            "s3://traces/",
            "s3:///run.fold",
            "s3://traces/../run.fold",
            "s3://traces/run.fold?key=secret",
            "https://traces/run.fold",
        ];
        for url in invalid {
            assert_eq!(of(url), None, "{url}");
        }
    }

    #[test]
    fn a_password_in_a_url_is_not_repeated() {
        let error = ObjectFolder::new(Path::new("s3://user:hidden@traces/run.fold")).unwrap_err();
        assert!(!format!("{error:?}").contains("hidden"));
    }
}
