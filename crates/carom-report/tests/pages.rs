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
    assert_eq!(data["contacts"][0]["name"], told);
    assert_eq!(data["surfaces"][0]["name"], told);
    assert_eq!(data["title"], "<b>\"ball\" & co</b>");
}

fn doubles(value: &serde_json::Value) -> Vec<f64> {
    decode(value.as_str().unwrap()).chunks(8).map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn floats(value: &serde_json::Value) -> Vec<f32> {
    decode(value.as_str().unwrap()).chunks(4).map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn integers(value: &serde_json::Value) -> Vec<u32> {
    decode(value.as_str().unwrap()).chunks(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

/// Times, poses, modes, positions, forces and events, each read back from the page and compared with the record.
#[test]
fn a_page_holds_the_motion() {
    for (name, record) in common::runs() {
        let data = data(&page(&record, name));
        let count = record.samples.len();
        let times: Vec<f64> = record.samples.iter().map(|sample| sample.time).collect();
        assert_eq!(doubles(&data["time"]), times, "{name}");
        let moving = data["bodies"].as_array().unwrap().iter().filter(|body| body["moving"] == true).count();
        assert_eq!(floats(&data["motion"]).len(), 10 * moving * count, "{name}");
        assert_eq!(floats(&data["energy"]).len(), data["energies"].as_array().unwrap().len() * count, "{name}");
        for contact in data["contacts"].as_array().unwrap() {
            let index = record.header.contacts.iter().position(|other| contact["name"] == other.name.as_str()).unwrap();
            let (since, modes) = (doubles(&contact["since"]), decode(contact["modes"].as_str().unwrap()));
            let mut closed = contact["closed"].as_array().unwrap().iter();
            let mut stretch = closed.next().map(|pair| [0, 1].map(|k| pair[k].as_u64().unwrap() as usize));
            let numbers = floats(&contact["motion"]);
            let mut rows = numbers.chunks(6);
            for (i, sample) in record.samples.iter().enumerate() {
                let now = &sample.contacts[index];
                let is_last = record.samples.get(i + 1).is_none_or(|next| next.time > sample.time);
                if is_last {
                    let mode = modes[since.partition_point(|time| *time <= sample.time) - 1];
                    assert_eq!(["flight", "stick", "slip"][usize::from(mode)], now.mode.name(), "{name}");
                }
                if now.mode.name() == "flight" {
                    continue;
                }
                if stretch.is_some_and(|[first, count]| i >= first + count) {
                    stretch = closed.next().map(|pair| [0, 1].map(|k| pair[k].as_u64().unwrap() as usize));
                }
                assert!(stretch.is_some_and(|[first, count]| (first..first + count).contains(&i)), "{name}: {i}");
                let expected: Vec<f32> = now.position.iter().chain(&now.world_force).map(|x| *x as f32).collect();
                assert_eq!(rows.next().unwrap(), expected, "{name}");
            }
            assert!(rows.next().is_none() && closed.next().is_none(), "{name}");
        }
        let events = &data["events"];
        let times: Vec<f64> = record.events.iter().map(|event| event.time()).collect();
        assert_eq!(doubles(&events["time"]), times, "{name}");
        for (event, place) in record.events.iter().zip(integers(&events["contact"])) {
            let contact = &record.header.contacts[event.contact().unwrap()];
            assert_eq!(data["contacts"][place as usize]["name"], contact.name.as_str(), "{name}");
        }
        let sizes = floats(&events["impulse"]);
        for (event, size) in record.events.iter().zip(sizes) {
            let expected = event.impulse().iter().map(|x| x * x).sum::<f64>().sqrt() as f32;
            // Events that are no impulses have -1.
            let is_impulse = !matches!(event.kind().name(), "lift_off" | "stick" | "slip");
            assert_eq!(size, if is_impulse { expected } else { -1.0 }, "{name}");
        }
    }
    let data = data(&page(&common::cube(), "cube"));
    assert_eq!(data["ending"], "interrupted");
    assert_eq!(data["bodies"][1]["shapes"][0]["kind"], "box");
}

/// Contacts stand by their first touch; the others are counted.
/// The energies of a robot at rest differ by rounding, which would fill the chart.
#[test]
fn rounding_is_not_played_as_motion() {
    let largest = |roundings: f64| {
        let energy = floats(&data(&page(&common::still(roundings), "still"))["energy"]);
        energy.into_iter().fold(0.0_f32, |largest, x| largest.max(x.abs()))
    };
    assert_eq!(largest(40.0), 0.0);
    assert!(largest(1e9) > 1e-7);
}

#[test]
fn a_page_names_the_contacts_that_closed() {
    let record = common::cube();
    let data = data(&page(&record, "cube"));
    let mut first: Vec<(f64, usize)> = Vec::new();
    for event in &record.events {
        let contact = event.contact().unwrap();
        if first.iter().all(|(_, other)| *other != contact) {
            first.push((event.time(), contact));
        }
    }
    let names: Vec<&str> = first.iter().map(|(_, contact)| record.header.contacts[*contact].name.as_str()).collect();
    let listed: Vec<&str> = data["contacts"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(listed, names);
    assert_eq!(data["rest"], format!("and {} contacts that never closed", 8 - names.len()));
}

/// The ball's last bounces are one group: the same as the function finds.
#[test]
fn a_page_has_the_groups_of_the_list() {
    let record = common::ball();
    let data = data(&page(&record, "ball"));
    let groups = carom_report::event_groups(&record.events, record.header.interval);
    let groups: Vec<_> = groups.iter().filter(|row| row.is_group()).collect();
    assert_eq!(groups.len(), 1);
    let shown = &data["groups"][0];
    assert_eq!(shown["first"].as_u64().unwrap() as usize, groups[0].events.start);
    assert_eq!(shown["count"].as_u64().unwrap() as usize, groups[0].events.len());
    let bounces = groups[0].events.len() - 1;
    assert_eq!(shown["bounces"], format!("{bounces} bounces"));
    let impulse: f64 = record.events[groups[0].events.clone()].iter().map(|event| event.impulse()[0]).sum();
    let energy: f64 = record.events[groups[0].events.clone()].iter().map(|event| event.energy_change()).sum();
    let more = shown["more"].as_str().unwrap();
    let [impulse, energy] = [impulse, energy].map(|x| carom_sim::number::significant(x, 3).replace('-', "−"));
    assert_eq!(more, format!("in 41.6 ms · {impulse} N s in all · {energy} J · then slip"));
    assert_eq!(shown["trains"][0]["events"].as_array().unwrap().len(), groups[0].events.len());
}

/// The convex hull of a mesh is drawn, once for all links that have it.
#[test]
fn meshes_are_drawn_as_their_hulls() {
    use carom_multibody::load;
    let folder = std::env::temp_dir().join(format!("carom-hulls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
    let faces = ["1 3 2", "1 2 4", "2 3 4", "1 4 3"];
    let obj: String = corners.map(|c| format!("v {c}\n")).concat() + &faces.map(|f| format!("f {f}\n")).concat();
    std::fs::write(folder.join("mesh.obj"), obj).unwrap();
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
            <collision><geometry><mesh filename="mesh.obj"/></geometry></collision></link>"#
        )
    };
    let joint = r#"<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>"#;
    let urdf = format!(r#"<robot name="r">{}{}{joint}</robot>"#, link("a"), link("b"));
    std::fs::write(folder.join("robot.urdf"), urdf).unwrap();
    let options = load::Options::new().floating_base(true).hulls(carom_multibody::HullOptions::EXACT);
    let model = load::file(folder.join("robot.urdf"), &options).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut record = common::sphere();
    let mut state = model.home().to_vec();
    state.resize(model.nq(), 0.0);
    for sample in &mut record.samples {
        (sample.configuration, sample.velocity) = (state.clone(), vec![0.0; model.nv()]);
    }
    record.model = std::sync::Arc::new(model);
    let data = data(&page(&record, "hulls"));
    assert_eq!(data["hulls"].as_array().unwrap().len(), 1);
    let points = floats(&data["hulls"][0]["points"]);
    assert_eq!(points.len(), 12);
    assert_eq!(points.iter().sum::<f32>(), 3.0);
    assert_eq!(integers(&data["hulls"][0]["faces"]).len(), 12);
    let kinds: Vec<_> = data["bodies"].as_array().unwrap()[1..].iter().map(|body| &body["shapes"][0]["kind"]).collect();
    assert_eq!(kinds, ["hull", "hull"]);
}

/// A page of a run with many samples, contacts and events stays small, and keeps the largest impacts.
#[test]
fn long_runs_are_thinned() {
    let mut record = common::ball();
    let lasts = record.samples.last().unwrap().time;
    let (few, events) = (record.samples.clone(), record.events.clone());
    let many = 600;
    record.header.contacts = (0..many)
        .map(|i| carom_sim::ContactHeader { name: format!("contact_{i}"), ..record.header.contacts[0].clone() })
        .collect();
    record.summary.settled = vec![None; many];
    record.samples.clear();
    record.events.clear();
    for round in 0..40 {
        let shift = lasts * f64::from(round);
        record.samples.extend(few.iter().cloned().map(|mut sample| {
            sample.time += shift;
            let open = carom_sim::ContactSample { mode: carom_sim::ContactMode::Flight, ..sample.contacts[0] };
            sample.contacts.resize(many, open);
            sample
        }));
        record.events.extend(events.iter().filter_map(|event| match event {
            carom_sim::Event::Impact(impact) => {
                Some(carom_sim::Event::Impact(carom_sim::ImpactEvent { time: impact.time + shift, ..*impact }))
            }
            _ => None,
        }));
    }
    assert!(record.samples.len() > 25_000 && record.events.len() > 2_000);
    let text = page(&record, "long");
    assert!(text.len() < 5_000_000, "{} bytes", text.len());
    let data = data(&text);
    let times = doubles(&data["time"]);
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(times.last(), record.samples.last().map(|sample| &sample.time));
    let first = record.events[0].time();
    assert!(times.iter().filter(|time| **time == first).count() >= 2, "both sides of the largest impact");
    assert_eq!(doubles(&data["events"]["time"]).len(), record.events.len());
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
