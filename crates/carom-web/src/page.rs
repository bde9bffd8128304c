//! The files of the page: its own, and the modules that it shares with the page of a run.

/// A file of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageFile {
    /// Its path relative to the page.
    pub name: &'static str,
    /// Its content.
    pub content: &'static [u8],
}

macro_rules! files {
    ($($name:literal)*) => {
        &[$(PageFile { name: $name, content: include_bytes!(concat!("../page/", $name)) }),*]
    };
}

/// The page's own files.
const OWN: &[PageFile] = files! {
    "index.html"
    "style.css"
    "address.js"
    "arrows.js"
    "code.js"
    "dialog.js"
    "dom.js"
    "drag.js"
    "engine.js"
    "engine-worker.js"
    "envelope.js"
    "files.js"
    "gallery.js"
    "guide.js"
    "history.js"
    "hover.js"
    "impulse.js"
    "knobs.js"
    "laws.js"
    "ledger.js"
    "main.js"
    "map.js"
    "module.js"
    "picture.js"
    "plot.js"
    "sentence.js"
    "session.js"
    "simulate.js"
    "state.js"
    "still.js"
    "transport.js"
};

/// The security policy of the page: nothing but its own files, and no request elsewhere.
pub const POLICY: &str = include_str!("policy.txt").trim_ascii();

/// All files of the page. Those shared with the page of a run are in the folder `player`.
pub fn files() -> Vec<(String, &'static [u8])> {
    let own = OWN.iter().map(|file| (file.name.to_owned(), file.content));
    let shared = carom::report::player_modules().into_iter();
    own.chain(shared.map(|(name, text)| (format!("player/{name}"), text.as_bytes()))).collect()
}

/// The media type of a file, by its ending.
pub fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
        let mut found: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let mut listed: Vec<String> = OWN.iter().map(|file| file.name.to_owned()).collect();
        found.sort();
        listed.sort();
        assert_eq!(found, listed);
    }

    #[test]
    fn the_page_asks_for_nothing_elsewhere() {
        for (name, content) in files() {
            let text = String::from_utf8_lossy(content);
            for line in text.lines() {
                let outside = ["http://", "https://", "\"//"].iter().any(|mark| line.contains(mark));
                assert!(!outside || line.contains("http://www.w3.org/"), "{name}: {line}");
            }
        }
    }
}
