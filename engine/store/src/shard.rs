//! Shards: parts of a store that several tasks write, each in a folder of its own, until one of them joins them.
//!
//! A shard has the files of its parts as the store will have them, except for their topology, and the file `shard`, which is
//! written last: the parts, and what the caller has to say about them. [`StoreWriter::adopt`] links the files of all shards into
//! the folder of the store, so that the shards stay whole until the store is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_output::OutputFolder;
use foldtrace_trace::{ErrorKind, Place, TraceError, WideFields};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Reading, Writing};
use crate::folder::{Form, HashedFile, hash_files};
use crate::models::PartModels;
use crate::part::{Layout, MemoryPool, PartEnd, PartWriter};
use crate::schema::QUANTITY;
use crate::writer::StoreWriter;
use crate::zstandard;

/// The file that makes a folder a shard.
const SHARD: &str = "shard";

/// The first line of that file. Only the same version of foldtrace joins shards.
const MAGIC: &str = concat!("foldtrace shard ", env!("CARGO_PKG_VERSION"), "\n");

/// The number of bytes of the hash after the first line, and of the length after it. The hash is that of everything after it.
const HASH: usize = 32;
const LENGTH: usize = 8;

/// A shard that is being written. Its parts can be written in parallel.
#[derive(Debug)]
pub struct ShardWriter {
    folder: OutputFolder,
    layout: Layout,
    memory: MemoryPool,
}

/// A complete shard, with what its writer said about it.
#[derive(Debug)]
pub struct Shard<T> {
    path: PathBuf,
    layout: Layout,
    parts: Vec<(PartEnd, PartModels)>,
    files: Vec<HashedFile>,
    /// What the writer of the shard said about it.
    pub about: T,
}

/// The contents of the file of a shard.
#[derive(Serialize, Deserialize)]
struct Contents<T> {
    form: Form,
    level: i32,
    row_group_rows: usize,
    parts: Vec<(PartEnd, PartModels)>,
    /// The files that the store will have, so that they are not hashed again when the shards are joined.
    files: Vec<HashedFile>,
    about: T,
}

impl ShardWriter {
    /// Creates a shard that will appear at `target`.
    ///
    /// # Errors
    /// Returns an error if `target` exists, unless it is a shard and `replace` is set; if another writer is using `target`; or if
    /// the folder around it cannot be written.
    pub fn create(target: &Path, layout: Layout, replace: bool) -> Result<Self, TraceError> {
        let check = move |target: &Path| match target.symlink_metadata() {
            Err(_) => Ok(()),
            Ok(_) if !target.join(SHARD).is_file() => {
                let reason = "it already exists, is not a shard, and will not be replaced";
                Err(TraceError::refused(target, reason))
            }
            Ok(_) if replace => Ok(()),
            Ok(_) => Err(TraceError::exists(target)),
        };
        Ok(Self {
            folder: OutputFolder::create(target.to_owned(), check)?,
            layout,
            memory: MemoryPool::default(),
        })
    }

    /// Begins part `number` of the store.
    ///
    /// # Errors
    /// Returns an error if the files of the part cannot be created.
    pub fn part(&self, number: u32) -> Result<PartWriter<'static>, TraceError> {
        let memory = self.memory.clone();
        PartWriter::new(self.folder.path(), number, &self.layout, None, memory)
    }

    /// Completes the shard, and gives it its final name.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(
        self,
        parts: Vec<(PartEnd, PartModels)>,
        about: &impl Serialize,
    ) -> Result<(), TraceError> {
        let path = self.folder.path().join(SHARD);
        let contents = Contents {
            files: hash_files(self.folder.path(), is_temporary)?,
            form: self.layout.form,
            level: self.layout.level.compression_level(),
            row_group_rows: self.layout.row_group_rows,
            parts,
            about,
        };
        let plain = postcard::to_stdvec(&contents).map_err(|error| {
            let message = format!("cannot encode {}", path.display());
            TraceError::new(ErrorKind::Internal, message).caused_by(error)
        })?;
        let packed = zstandard::compress(&plain).writing(&path)?;
        let mut sealed = (plain.len() as u64).to_le_bytes().to_vec();
        sealed.extend(packed);
        let hash = blake3::hash(&sealed);
        let bytes = [MAGIC.as_bytes(), hash.as_bytes(), &sealed].concat();
        fs::write(&path, bytes).writing(&path)?;
        self.folder.complete()
    }
}

impl<T: DeserializeOwned> Shard<T> {
    /// Opens the shard at `path`; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the shard cannot be read, is damaged, or was written by another version of foldtrace.
    pub fn open(path: &Path) -> Result<Option<Self>, TraceError> {
        let file = path.join(SHARD);
        let bytes = match fs::read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.reading(&file)?,
        };
        let Some(bytes) = bytes.strip_prefix(MAGIC.as_bytes()) else {
            let message = format!("{} is from another version of foldtrace", path.display());
            return Err(TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(&file))
                .hint("write all shards with the version that joins them"));
        };
        let broken = |why: &str| wrong(&file, why);
        let (hash, sealed) = bytes
            .split_first_chunk::<HASH>()
            .ok_or_else(|| broken("it is too short"))?;
        if blake3::hash(sealed) != *hash {
            return Err(broken("its contents do not match their hash"));
        }
        let (length, packed) = sealed
            .split_first_chunk::<LENGTH>()
            .ok_or_else(|| broken("it is too short"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let plain = zstandard::decompress(packed, length).reading(&file)?;
        let contents: Contents<T> = postcard::from_bytes(&plain)
            .map_err(|error| broken("it cannot be decoded").caused_by(error))?;
        let layout = Layout {
            row_group_rows: contents.row_group_rows,
            ..Layout::default().with_form(contents.form)
        };
        Ok(Some(Self {
            path: path.to_owned(),
            layout: layout.with_level(contents.level)?,
            parts: contents.parts,
            files: contents.files,
            about: contents.about,
        }))
    }

    /// Returns the layout of the store that the shard is a part of.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }
}

/// A part of a shard in the folder of a store.
pub type AdoptedPart = (PartEnd, PartModels);

impl StoreWriter<'_> {
    /// Takes the parts of all shards into the folder of the store. Returns them in the order of their numbers, and what the writers
    /// of the shards said about them.
    ///
    /// # Errors
    /// Returns an error if a file cannot be linked or copied.
    pub fn adopt<T>(
        &mut self,
        shards: Vec<Shard<T>>,
    ) -> Result<(Vec<AdoptedPart>, Vec<T>), TraceError> {
        let store = self.path().to_owned();
        let parts = shards.iter().flat_map(|shard| &shard.parts);
        let wide = parts.fold(WideFields::default(), |all, (end, _)| all.union(end.wide));
        // Footers of quantities that are corrected are those of the store, not of the shard.
        let is_changed =
            |path: &Path| wide != WideFields::default() && path.starts_with(QUANTITY.name);
        let (mut parts, mut about) = (Vec::new(), Vec::new());
        for shard in shards {
            link_files(&shard.path, &store, &is_changed)?;
            let files = shard.files.into_iter();
            self.hashed
                .extend(files.filter(|file| !is_changed(Path::new(&file.entry.path))));
            parts.extend(shard.parts);
            about.push(shard.about);
        }
        for (end, models) in &mut parts {
            end.move_to(&store, self.layout());
            models.move_to(&store, end.number());
        }
        parts.sort_unstable_by_key(|(end, _)| end.number());
        Ok((parts, about))
    }
}

/// Returns whether the store will not have a file of a shard, with this path.
fn is_temporary(path: &str) -> bool {
    path.starts_with('.') || path == SHARD
}

/// Links the files of the parts of a shard into the folder of a store, or copies those that are changed there.
fn link_files(
    shard: &Path,
    store: &Path,
    is_changed: &impl Fn(&Path) -> bool,
) -> Result<(), TraceError> {
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let from = shard.join(&folder);
        for entry in fs::read_dir(&from).reading(&from)? {
            let entry = entry.reading(&from)?;
            let path = folder.join(entry.file_name());
            let (from, to) = (entry.path(), store.join(&path));
            if entry.file_type().reading(&from)?.is_dir() {
                fs::create_dir_all(&to).writing(&to)?;
                folders.push(path);
            } else if path != Path::new(SHARD) {
                let is_linked = !is_changed(&path) && fs::hard_link(&from, &to).is_ok();
                if !is_linked {
                    fs::copy(&from, &to).map(drop).writing(&to)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the error for a damaged file of a shard.
fn wrong(file: &Path, why: &str) -> TraceError {
    TraceError::new(ErrorKind::Malformed, format!("the shard is damaged: {why}"))
        .at(Place::file(file))
        .hint("write this shard again")
}
