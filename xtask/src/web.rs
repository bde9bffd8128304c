//! The explorer as static files: its page, and its engine as wasm.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::node::node;
use crate::run::{cargo, cargo_program, output, root, run};

/// Where the files are put: any file server can offer them.
pub const FOLDER: &str = "target/web";
/// What the compiler for wasm writes, apart from other builds: it may be another compiler.
const WORK: &str = "target/wasm";
const TARGET: &str = "wasm32-unknown-unknown";
/// The page's own files, and the modules that it shares with the page of a run.
const PAGE: &str = "crates/carom-web/page";
const PLAYER: &str = "crates/carom-report/src/run/player";
/// The security policy, of which a page can state all but who may embed it.
const POLICY: &str = "crates/carom-web/src/policy.txt";
const OF_SERVERS: &str = "frame-ancestors";

/// Makes the folder. With `--test`, answers of the wasm module are compared with those of the command, and timed.
pub fn web(rest: &[&str]) -> Result<(), String> {
    if let Some(other) = rest.iter().find(|argument| **argument != "--test") {
        return Err(format!("cargo xtask web {other}: the only option is --test, which"));
    }
    let begun = Instant::now();
    let module = build(&Compiler::find()?)?;
    let size = assemble(&module)?;
    println!("{FOLDER}: engine.wasm has {} KB; {:.0} s", size / 1024, begun.elapsed().as_secs_f64());
    if rest.is_empty() { Ok(()) } else { test() }
}

/// A compiler that has the standard library for wasm, or can build it.
enum Compiler {
    /// The one of this build.
    Own,
    /// Debian's, in a folder of its own.
    Debian { root: PathBuf },
}

impl Compiler {
    fn find() -> Result<Self, String> {
        let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        let libraries = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
        let has_standard = |folder: &str| {
            let entries = fs::read_dir(folder.trim()).into_iter().flatten().flatten();
            entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
        };
        if libraries.is_ok_and(|output| has_standard(&String::from_utf8_lossy(&output.stdout))) {
            println!("with the installed target {TARGET}");
            return Ok(Self::Own);
        }
        let root = root().join(WORK).join("debian");
        let done = root.join("complete");
        if done.exists() {
            println!("{TARGET} is not installed: with Debian's compiler in {WORK}/debian");
            return Ok(Self::Debian { root });
        }
        println!(
            "{TARGET} is not installed (rustup target add {TARGET}): unpacking Debian's compiler into {WORK}/debian"
        );
        unpack(&root).map_err(|what| format!("{what} (rustup target add {TARGET} is the other way), which"))?;
        fs::write(&done, "").map_err(|error| format!("{} ({error})", done.display()))?;
        Ok(Self::Debian { root })
    }
}

/// Downloads Debian's packages of a compiler, its linker and the source of the standard library, and unpacks them: installed, they would
/// conflict with other compilers.
fn unpack(folder: &Path) -> Result<(), String> {
    if depends("rustc-web", &[]).is_err() {
        run(Command::new("apt-get").args(["update", "-qq"]), "apt-get update")?;
    }
    // The compiler needs its own library, this one LLVM, and LLVM's version is that of the linker.
    let one_of = |package: &str, start: &str| -> Result<String, String> {
        let text = depends(package, &[])?;
        let names = text.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
        let found = names.map(str::trim).find(|name| name.starts_with(start));
        found.map(str::to_owned).ok_or_else(|| format!("apt-cache depends {package}: {start}*"))
    };
    let development = one_of("rustc-web", "libstd-rust-web-dev")?;
    let library = one_of(&development, "libstd-rust-web-")?;
    let llvm = one_of(&library, "libllvm")?;
    let linker = format!("lld-{}", llvm.trim_start_matches("libllvm"));
    let mut packages = vec!["rustc-web", &development, &library, "rust-web-src", &llvm, &linker];
    // What LLVM itself needs, as far as it is missing: names are not indented.
    let needed = depends(&llvm, &["--recurse"])?;
    let names = needed.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_alphanumeric()));
    packages.extend(names.filter(|name| **name != *llvm && !is_installed(name)));
    let archives = folder.join("archives");
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(&archives).map_err(|error| format!("{} ({error})", archives.display()))?;
    let download = || {
        let mut command = Command::new("sh");
        // apt-get download writes into the present folder.
        command.args(["-c", "cd \"$0\" && apt-get download -qq \"$@\""]).arg(&archives).args(&packages);
        run(&mut command, "apt-get download")
    };
    download().or_else(|_| {
        run(Command::new("apt-get").args(["update", "-qq"]), "apt-get update")?;
        download()
    })?;
    let entries = fs::read_dir(&archives).map_err(|error| format!("{} ({error})", archives.display()))?;
    for archive in entries.flatten() {
        run(Command::new("dpkg").arg("-x").arg(archive.path()).arg(folder), "dpkg -x")?;
    }
    let _ = fs::remove_dir_all(&archives);
    Ok(())
}

/// What a package needs, as `apt-cache` lists it.
fn depends(package: &str, options: &[&str]) -> Result<String, String> {
    let mut command = Command::new("apt-cache");
    command.args(["depends", "--no-suggests", "--no-recommends", "--no-conflicts", "--no-breaks", "--no-replaces"]);
    output(command.arg("--no-enhances").args(options).arg(package), &format!("apt-cache depends {package}"))
}

fn is_installed(package: &str) -> bool {
    let status = Command::new("dpkg-query").args(["-W", "-f", "${Status}", package]).output();
    status.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("install ok installed"))
}

/// The module.
fn build(compiler: &Compiler) -> Result<PathBuf, String> {
    let folder = root().join(WORK).join("build");
    let mut command = Command::new(cargo_program());
    command.args(["rustc", "--release", "--locked", "-p", "carom-web", "--lib", "--crate-type", "cdylib"]);
    command.args(["--no-default-features", "--target", TARGET]).env("CARGO_TARGET_DIR", &folder);
    // A panic ends the module, and the page loads it anew.
    command.env("CARGO_PROFILE_RELEASE_PANIC", "abort").env("CARGO_PROFILE_RELEASE_STRIP", "true");
    if let Compiler::Debian { root } = compiler {
        let binaries = root.join("usr/bin");
        command.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1").env("RUSTC", binaries.join("rustc"));
        command.env("LD_LIBRARY_PATH", libraries(root)?);
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker(&root.join("usr/lib"))?);
        command.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC_WRAPPER");
    }
    run(&mut command, &format!("cargo rustc --target {TARGET}"))?;
    Ok(folder.join(TARGET).join("release/carom_web.wasm"))
}

/// The folders of libraries, whose name is that of the machine.
fn libraries(root: &Path) -> Result<OsString, String> {
    let folders = ["usr/lib", "lib"].map(|folder| root.join(folder));
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let found = entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with("-linux-gnu"));
    env::join_paths(found).map_err(|error| format!("the folders of libraries ({error})"))
}

/// The linker of Debian's LLVM, whatever its version.
fn linker(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{} ({error})", folder.display()))?;
    let places = entries.flatten().map(|entry| entry.path().join("bin/wasm-ld"));
    places.into_iter().find(|path| path.exists()).ok_or_else(|| "finding wasm-ld".to_owned())
}

/// Puts the page and the module into one folder; the size of the module.
fn assemble(module: &Path) -> Result<u64, String> {
    let folder = root().join(FOLDER);
    // What an older page had is not to be found.
    let _ = fs::remove_dir_all(&folder);
    copy(&root().join(PAGE), &folder, &["html", "css", "js", "svg", "png"])?;
    copy(&root().join(PLAYER), &folder.join("player"), &["css", "js"])?;
    let failed = |path: &Path| {
        let name = path.display().to_string();
        move |error: std::io::Error| format!("{name} ({error})")
    };
    let change = |name: &str, from: &str, to: &str| {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).map_err(failed(&path))?;
        match text.matches(from).count() {
            1 => fs::write(&path, text.replace(from, to)).map_err(failed(&path)),
            count => Err(format!("{PAGE}/{name}: {from:?} is there {count} times, not once, which")),
        }
    };
    change("transport.js", "\"server\"", "\"wasm\"")?;
    let path = root().join(POLICY);
    let policy = fs::read_to_string(&path).map_err(failed(&path))?;
    let parts: Vec<&str> = policy.trim().split("; ").filter(|part| !part.starts_with(OF_SERVERS)).collect();
    let meta = format!("<head>\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", parts.join("; "));
    change("index.html", "<head>", &meta)?;
    fs::copy(module, folder.join("engine.wasm")).map_err(failed(module))
}

/// Copies the files with these endings.
fn copy(from: &Path, to: &Path, endings: &[&str]) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} ({error})", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending)) {
            fs::copy(&path, to.join(entry.file_name())).map_err(failed)?;
        }
    }
    Ok(())
}

/// The module's answers beside those of the command, under Node.js.
fn test() -> Result<(), String> {
    node()?;
    cargo(&["build", "--release", "-p", "carom-cli"], &[], &[])?;
    let mut node = Command::new("node");
    node.arg("tests/wasm/answers.mjs").arg("target/release/carom").arg(FOLDER).stdin(Stdio::null());
    run(&mut node, "tests/wasm/answers.mjs")
}
