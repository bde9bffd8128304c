//! Maps as files.

use carom_study::{Map, MapOptions};

#[test]
fn data_survive_json() {
    let problem = carom_scene::gallery::impact("reversal").unwrap();
    let options = MapOptions { resolution: 12, ..MapOptions::default() };
    let map = Map::over_coefficients(&problem, "reversal", &options).unwrap();
    let mut text = Vec::new();
    carom_report::map_json(&map, &mut text).unwrap();
    assert_eq!(serde_json::from_slice::<Map>(&text).unwrap(), map);
}
