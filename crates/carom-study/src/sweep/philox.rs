//! Philox4x32-10, a counter-based random number generator: its output is a function of a key and a counter alone.
//!
//! J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11, 2011.

const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: usize = 10;

/// 128 random bits.
pub(super) fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..ROUNDS {
        let [a, b] = [0, 1].map(|k: usize| u64::from(MULTIPLIERS[k]) * u64::from(counter[2 * k]));
        let high = |product: u64| (product >> 32) as u32;
        counter = [high(b) ^ counter[1] ^ key[0], b as u32, high(a) ^ counter[3] ^ key[1], a as u32];
        key = [0, 1].map(|k: usize| key[k].wrapping_add(WEYL[k]));
    }
    counter
}

/// Two independent numbers, uniform in [0, 1): multiples of 2⁻⁵³.
pub(super) fn uniforms(counter: [u32; 4], key: [u32; 2]) -> [f64; 2] {
    let bits = philox(counter, key);
    [0, 2].map(|k: usize| {
        let bits = u64::from(bits[k]) | u64::from(bits[k + 1]) << 32;
        (bits >> 11) as f64 * (0.5 * f64::EPSILON)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that the authors publish with their implementation, Random123 (file `kat_vectors`, lines
    /// `philox4x32 10`); the third pair is made of the digits of pi.
    #[test]
    fn known_answers_of_the_authors() {
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        for (counter, key, expected) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (pi, [0xa409_3822, 0x299f_31d0], [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]),
        ] {
            assert_eq!(philox(counter, key), expected);
        }
    }

    #[test]
    fn uniforms_fill_the_unit_interval() {
        let mut counts = [0; 16];
        let mut extremes: [f64; 2] = [1.0, 0.0];
        for index in 0..100_000 {
            for x in uniforms([index, 0, 7, 9], [1, 2]) {
                counts[(16.0 * x) as usize] += 1;
                extremes = [extremes[0].min(x), extremes[1].max(x)];
            }
        }
        // 12,500 are expected in each; the standard deviation is 108.
        assert!(counts.iter().all(|count: &i32| (count - 12_500).abs() < 5 * 108), "{counts:?}");
        assert!(0.0 <= extremes[0] && extremes[0] < 1e-4 && extremes[1] < 1.0 && extremes[1] > 1.0 - 1e-4);
    }
}
