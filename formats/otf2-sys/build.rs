//! Finds libotf2 and says how to link it; with the feature `regenerate` also makes the bindings.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

const LIBRARY: &str = "open-trace-format2";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=wrapper.h");
    match link().and_then(|includes| regenerate(&includes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints how to link the library; gives the folders of its headers.
fn link() -> Result<Vec<std::path::PathBuf>, Box<dyn Error>> {
    let library = pkg_config::Config::new()
        .atleast_version("3.0")
        .cargo_metadata(false)
        .probe("otf2")
        .map_err(|error| {
            let cause = error
                .to_string()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            format!(
                "cannot find libotf2 3.0 or newer by pkg-config ({cause}). \
                 On Debian and Ubuntu: apt-get install libotf2-trace-dev pkg-config"
            )
        })?;
    // The search path of a library in a system folder is not in `--libs`; the variable has it.
    let mut folders = library.link_paths;
    for package in ["otf2", "otf2-backend"] {
        if let Ok(folder) = pkg_config::get_variable(package, "libdir")
            && !folder.is_empty()
        {
            folders.push(folder.into());
        }
    }
    if let (Some(architecture), Some("linux")) = (
        std::env::var("CARGO_CFG_TARGET_ARCH").ok(),
        std::env::var("CARGO_CFG_TARGET_OS").ok().as_deref(),
    ) {
        folders.push(format!("/usr/lib/{architecture}-linux-gnu").into());
    }
    let archive = format!("lib{LIBRARY}.a");
    let with_archive = folders
        .iter()
        .find(|folder| folder.join(&archive).is_file());
    for folder in &folders {
        if Path::is_dir(folder) {
            println!("cargo::rustc-link-search=native={}", folder.display());
        }
    }
    // The archive makes a program that runs where no libotf2 is installed.
    let kind = if with_archive.is_some() {
        "static"
    } else {
        "dylib"
    };
    println!("cargo::rustc-link-lib={kind}={LIBRARY}");
    Ok(library.include_paths)
}

#[cfg(not(feature = "regenerate"))]
fn regenerate(_includes: &[std::path::PathBuf]) -> Result<(), Box<dyn Error>> {
    Ok(())
}

/// Writes `bindings.rs` into the folder of the build's output, for comparison with the committed one.
#[cfg(feature = "regenerate")]
fn regenerate(includes: &[std::path::PathBuf]) -> Result<(), Box<dyn Error>> {
    let out = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    bindgen::Builder::default()
        .header("wrapper.h")
        .clang_args(includes.iter().map(|folder| format!("-I{}", folder.display())))
        .allowlist_item("OTF2_.*|otf2_.*|vsnprintf|free")
        .rust_edition(bindgen::RustEdition::Edition2024)
        .rust_target(bindgen::RustTarget::stable(85, 0).map_err(|e| e.to_string())?)
        .layout_tests(false)
        .generate_comments(false)
        .merge_extern_blocks(true)
        .use_core()
        .disable_header_comment()
        .raw_line("// Made by bindgen from the headers of libotf2; see tests/bindings.rs on how to make it anew.")
        .formatter(bindgen::Formatter::Prettyplease)
        .generate()?
        .write_to_file(Path::new(&out).join("bindings.rs"))?;
    Ok(())
}
