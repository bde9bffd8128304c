//! Numbers from bytes.

/// The rest of an input, followed by zeros.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// Eighths from -8 to 7.875 in one byte, a power of two times such a number in two, or any finite number in nine.
    pub fn number(&mut self) -> f64 {
        let small = |byte: u8| (f64::from(byte & 0x7f) - 64.0) / 8.0;
        match self.byte() {
            0xff => {
                let bits = std::array::from_fn(|_| self.byte());
                let x = f64::from_le_bytes(bits);
                if x.is_finite() { x } else { 0.0 }
            }
            byte if byte & 0x80 != 0 => small(byte) * 2f64.powi(i32::from(self.byte() as i8)),
            byte => small(byte),
        }
    }

    /// Some numbers.
    pub fn numbers(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.number()).collect()
    }
}
