//! Pages that play a run: everything is in them, and nothing in a name gets out of its place.

mod common;

use carom_report::run_html;
use carom_sim::Record;

fn page(record: &Record, title: &str) -> String {
    let mut text = Vec::new();
    run_html(record, title, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The data of a page, as a browser reads them: from the tag to the first end of a script.
fn data(page: &str) -> serde_json::Value {
    let rest = page.split_once("<script type=\"application/json\" id=\"run\">").unwrap().1;
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_needs_nothing_else() {
    for (name, record) in common::runs() {
        let page = page(&record, name);
        for sign in ["http://", "https://", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import(", "@DATA@"]
        {
            assert!(!page.contains(sign), "{name}: {sign}");
        }
        assert!(page.contains("default-src 'none'"));
        assert!(page.len() < 2_000_000, "{name}: {} bytes", page.len());
    }
}

#[test]
fn names_stay_where_they_are() {
    let mut record = common::ball();
    let name = "</script><script>alert(1)</script><!--\u{2028}@SCRIPT@";
    record.header.contacts[0].name = name.to_owned();
    record.header.surfaces[0].name = name.to_owned();
    let plain = page(&common::ball(), "ball");
    let page = page(&record, "<b>\"ball\" & co</b>");
    assert_eq!(page.matches("<script").count(), plain.matches("<script").count());
    assert_eq!(page.matches("</script").count(), plain.matches("</script").count());
    assert!(page.contains("<title>&lt;b&gt;&quot;ball&quot; &amp; co&lt;/b&gt;</title>"));
    let data = data(&page);
    // A separator of lines is told, not obeyed.
    let told = name.replace('\u{2028}', "\\u{2028}");
    assert_eq!(data["contacts"][0], told);
    assert_eq!(data["surfaces"][0]["name"], told);
    assert_eq!(data["title"], "<b>\"ball\" & co</b>");
}

#[test]
fn a_page_holds_the_motion() {
    let record = common::cube();
    let data = data(&page(&record, "cube"));
    assert_eq!(data["ending"], "interrupted");
    assert_eq!(data["events"].as_array().unwrap().len(), record.events.len());
    let decoded = |name: &str| {
        let text = data[name].as_str().unwrap();
        text.trim_end_matches('=').len() * 6 / 8
    };
    let count = record.samples.len();
    assert_eq!(decoded("time"), 8 * count);
    // The world does not move; the cube has ten numbers, a corner six.
    assert_eq!(decoded("motion"), 4 * 10 * count);
    assert_eq!(decoded("contact_motion"), 4 * 6 * 8 * count);
    assert_eq!(decoded("modes"), 8 * count);
    assert_eq!(data["bodies"][1]["shapes"][0]["kind"], "box");
}

/// A long run is thinned, but never at an event.
#[test]
fn a_long_run_keeps_its_events() {
    let mut record = common::ball();
    let lasts = record.samples.last().unwrap().time;
    let few = record.samples.clone();
    record.samples.clear();
    for round in 0..80 {
        record.samples.extend(few.iter().cloned().map(|mut sample| {
            sample.time += lasts * f64::from(round);
            sample
        }));
    }
    assert!(record.samples.len() > 50_000);
    let data = data(&page(&record, "long"));
    let bytes = decode(data["time"].as_str().unwrap());
    let times: Vec<f64> = bytes.chunks(8).map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap())).collect();
    assert!(times.len() < record.samples.len());
    let twins = |times: &mut dyn Iterator<Item = f64>| {
        let times: Vec<f64> = times.collect();
        times.windows(2).filter(|pair| pair[0] == pair[1]).count()
    };
    let all = twins(&mut record.samples.iter().map(|sample| sample.time));
    assert_eq!(twins(&mut times.iter().copied()), all);
    assert_eq!(times.last(), record.samples.last().map(|sample| &sample.time));
}

fn decode(text: &str) -> Vec<u8> {
    const SIGNS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for sign in text.trim_end_matches('=').chars() {
        bits = bits << 6 | SIGNS.find(sign).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// Writes the pages that the browser opens: `cargo xtask browser` says where.
#[test]
fn pages_for_the_browser() {
    let Some(folder) = std::env::var_os("CAROM_PAGES") else { return };
    for (name, record) in common::runs() {
        let title = record.header.title.clone().unwrap();
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.html")), page(&record, &title)).unwrap();
    }
}
