//! Colours of numbers and of words. Scales change in lightness throughout, so that they can be read in grey print, and their hues
//! are safe for the colour-blind.

use super::drawing::Colour;
use super::style;
use carom_study::RegionKind;

/// From the lightest to the darkest.
const SEQUENTIAL: [u32; 7] = [0xff_fbee, 0xdc_e9ec, 0xad_cfe3, 0x78_abd0, 0x42_83b6, 0x1d_5c91, 0x0a_3763];
/// Below zero, from zero outwards, and above zero.
const LOSSES: [u32; 5] = [0xfa_faf7, 0xc9_dff1, 0x86_b4d8, 0x3b_7fb5, 0x0a_3f73];
const GAINS: [u32; 5] = [0xfa_faf7, 0xf8_d9c0, 0xee_a873, 0xcc_6a1d, 0x8a_3300];
/// Colours that a scale is made of: a figure with few is small.
const LEVELS: f64 = 48.0;

/// The colours of numbers between two ends. If zero is between them, it is white and the signs differ in hue.
pub(super) struct Palette {
    ends: [f64; 2],
}

impl Palette {
    pub(super) fn over([low, high]: [f64; 2]) -> Self {
        // A single number gets a range around it.
        let reach = 0.5 * low.abs().max(high.abs()).max(f64::MIN_POSITIVE);
        let ends = if high - low > 1e-12 * reach { [low, high] } else { [low - reach, high + reach] };
        Self { ends }
    }

    pub(super) fn ends(&self) -> [f64; 2] {
        self.ends
    }

    fn is_signed(&self) -> bool {
        self.ends[0] < 0.0 && self.ends[1] > 0.0
    }

    /// The bounds of the levels.
    pub(super) fn steps(&self) -> Vec<f64> {
        let [low, high] = self.ends;
        let mut steps: Vec<f64> = (0..=LEVELS as u32).map(|k| low + (high - low) * f64::from(k) / LEVELS).collect();
        if self.is_signed() {
            steps.push(0.0);
            steps.sort_by(f64::total_cmp);
        }
        steps
    }

    pub(super) fn color(&self, value: f64) -> Colour {
        let [low, high] = self.ends;
        let level = |part: f64, count: f64| ((part.clamp(0.0, 1.0) * count).floor().min(count - 1.0) + 0.5) / count;
        if !self.is_signed() {
            return between(&SEQUENTIAL, level((value - low) / (high - low), LEVELS));
        }
        // Equal sizes of both signs are equally dark. The root shows small changes beside large ones.
        let size = high.max(-low);
        let part = level((value.abs() / size).sqrt(), 0.5 * LEVELS);
        if value < 0.0 { between(&LOSSES, part) } else { between(&GAINS, part) }
    }
}

/// The colour at a part of the way along equally spaced ones.
fn between(colors: &[u32], part: f64) -> Colour {
    let place = part.clamp(0.0, 1.0) * (colors.len() - 1) as f64;
    let k = (place as usize).min(colors.len() - 2);
    let t = place - k as f64;
    let channel = |shift: u32| {
        let [a, b] = [k, k + 1].map(|k: usize| f64::from(colors[k] >> shift & 0xff));
        ((a + t * (b - a)).round() as u32) << shift
    };
    Colour(channel(16) | channel(8) | channel(0))
}

/// The colour of a word: those of maps for modes and verdicts, others in turn.
pub(super) fn word_color(words: &[String], place: usize) -> Colour {
    const OTHERS: [u32; 12] = [
        0xc9_dff1, 0xf3_ba93, 0xd6_ebcb, 0xdc_cfe8, 0xff_e9a8, 0x9f_c3c3, 0xe8_b4c4, 0xb9_b9b9, 0x6f_97c4, 0xa6_7c52,
        0x86_b07a, 0x8d_75ad,
    ];
    let of_map = |kind| style::fill(kind).colour.unwrap_or(Colour::WHITE);
    match words.get(place).map(String::as_str) {
        Some("stick" | "true") => of_map(RegionKind::Stick),
        Some("slip") => of_map(RegionKind::Slip),
        Some("reversal") => of_map(RegionKind::Reversal),
        Some("false") => of_map(RegionKind::Creation),
        Some("separating" | "flight") => Colour(0xf2_f2f2),
        _ => Colour(OTHERS[place % OTHERS.len()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(Colour(color): Colour) -> f64 {
        let channel = |shift: u32| (f64::from(color >> shift & 0xff) / 255.0).powf(2.2);
        0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
    }

    #[test]
    fn scales_grow_darker_throughout_and_tell_signs_apart() {
        let palette = Palette::over([2.0, 5.0]);
        let lights: Vec<f64> = (0..=48).map(|k| lightness(palette.color(2.0 + f64::from(k) / 16.0))).collect();
        assert!(lights.windows(2).all(|pair| pair[1] <= pair[0]) && lights[0] - lights[48] > 0.8, "{lights:?}");
        let signed = Palette::over([-1.0, 2.0]);
        assert_ne!(signed.color(-0.8), signed.color(0.8));
        assert!(lightness(signed.color(1e-4)) > 0.8 && lightness(signed.color(-1e-4)) > 0.8);
        assert!(lightness(signed.color(1.9)) < lightness(signed.color(1.0)));
        // One value alone has a colour, too.
        let one = Palette::over([3.0, 3.0]);
        assert!(one.ends()[0] < 3.0 && one.ends()[1] > 3.0);
        let zero = Palette::over([0.0, 0.0]);
        assert!(zero.ends()[0] < zero.ends()[1]);
    }
}
