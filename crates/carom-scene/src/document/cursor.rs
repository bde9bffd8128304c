//! A cursor over JSON text, for fast readers. It allocates nothing and has no messages: at anything
//! unexpected it returns `None`, and the text is read as a tree, which has the messages.

/// A position in a JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

/// Exact powers of ten: an integer of at most 53 bits times or divided by one of them is rounded once.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

impl<'a> Cursor<'a> {
    /// At the beginning of a text.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// The next byte that is not blank, without passing it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte()? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Passes blanks and one byte, which must be `expected`.
    #[inline]
    pub(crate) fn pass(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then(|| self.at += 1)
    }

    /// Whether only blanks are left.
    #[inline]
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Whether another entry of a list or an object that ends with `close` follows.
    #[inline]
    pub(crate) fn continues(&mut self, close: u8) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Some(true),
            byte if byte == close => Some(false),
            _ => None,
        }
    }

    /// The content of a string without escapes. It may not be UTF-8.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        self.pass(b'"')?;
        let start = self.at;
        loop {
            match self.byte()? {
                b'"' => break,
                b'\\' | 0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(&self.text[start..self.at - 1])
    }

    /// The next key of an object and the colon after it.
    #[inline]
    pub(crate) fn key(&mut self) -> Option<&'a [u8]> {
        let key = self.string()?;
        self.pass(b':')?;
        Some(key)
    }

    /// A number, rounded to nearest; `None` also for one beyond the range of `f64`.
    #[inline]
    pub(crate) fn number(&mut self) -> Option<f64> {
        self.peek()?;
        let start = self.at;
        let is_negative = self.byte()? == b'-';
        self.at += usize::from(is_negative);
        let first = self.at;
        let mut digits = 0_u64;
        self.digits(&mut digits);
        let whole = self.at - first;
        if whole == 0 || (whole > 1 && self.text[first] == b'0') {
            return None;
        }
        let mut fraction = 0;
        if self.byte() == Some(b'.') {
            self.at += 1;
            let from = self.at;
            self.digits(&mut digits);
            fraction = self.at - from;
            if fraction == 0 {
                return None;
            }
        }
        // Nineteen digits fit into 64 bits.
        let is_small = whole + fraction <= 19 && digits < 1 << 53 && fraction < POWERS.len();
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.exponent()?;
        } else if is_small {
            let size = digits as f64 / POWERS[fraction];
            return Some(if is_negative { -size } else { size });
        }
        let text = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Passes digits and appends them to a number, which overflows beyond nineteen.
    #[inline]
    fn digits(&mut self, number: &mut u64) {
        while let Some(eight) = self.text[self.at..].first_chunk().and_then(|bytes| eight_digits(*bytes)) {
            *number = number.wrapping_mul(100_000_000).wrapping_add(eight);
            self.at += 8;
        }
        while let Some(digit @ b'0'..=b'9') = self.byte() {
            *number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
    }

    fn exponent(&mut self) -> Option<()> {
        self.at += 1;
        self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
        let from = self.at;
        self.digits(&mut 0);
        (self.at > from).then_some(())
    }

    /// Passes a value and returns its text, without blanks around it. Only its extent is found, as if it were valid: what is
    /// between its brackets must be checked by other means.
    pub(crate) fn value(&mut self) -> Option<&'a [u8]> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => self.pass_string()?,
            b'{' | b'[' => self.pass_brackets()?,
            _ => {
                while matches!(self.byte(), Some(b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.')) {
                    self.at += 1;
                }
            }
        }
        (self.at > start).then(|| &self.text[start..self.at])
    }

    fn pass_string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.byte()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn pass_brackets(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.byte()? {
                b'"' => {
                    self.pass_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// The number of eight digits, all at once; `None` if one of the bytes is not a digit.
#[inline]
fn eight_digits(bytes: [u8; 8]) -> Option<u64> {
    let word = u64::from_le_bytes(bytes);
    // Digits are 0x30 to 0x39: adding 6 to one does not carry into its upper half.
    let upper = 0xf0f0_f0f0_f0f0_f0f0;
    let is_digits =
        word & upper == 0x3030_3030_3030_3030 && word.wrapping_add(0x0606_0606_0606_0606) & upper == word & upper;
    // Pairs of digits, then fours, then all eight; the first digit is in the lowest byte.
    let pairs = (word & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    is_digits.then(|| fours.wrapping_mul(10_000 << 32 | 1) >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<f64> {
        let mut cursor = Cursor::new(text.as_bytes());
        cursor.number().filter(|_| cursor.is_at_end())
    }

    /// serde_json is the judge of what a number is, and of its value.
    fn expected(text: &str) -> Option<f64> {
        serde_json::from_str::<serde_json::Value>(text).ok()?.as_f64()
    }

    #[test]
    fn numbers_are_those_of_the_other_reader() {
        for text in [
            "0",
            "-0",
            "-0.0",
            "1",
            "-1",
            "12",
            "01",
            "-",
            "",
            "1.",
            ".5",
            "+1",
            "1e",
            "1e+",
            "1e5",
            "1E-5",
            "1e+05",
            "1e400",
            "-1e400",
            "1e-400",
            "5e-324",
            "2e-324",
            "9007199254740993",
            "9007199254740992",
            "18446744073709551616",
            "123456789012345678901234567890",
            "0.1",
            "0.30000000000000004",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "0.000000000000000000000001",
            "0.0000000000000000000001",
            "1234567890123456789",
            "12345678901234567890.5",
            "nan",
            "inf",
            "Infinity",
            "0x1",
            "1_0",
            "--1",
            "1.5.5",
            "1e5.5",
            "1 2",
            "8.98846567431158e307",
        ] {
            assert_eq!(number(text).map(f64::to_bits), expected(text).map(f64::to_bits), "{text}");
        }
    }

    #[test]
    fn random_numbers_are_rounded_to_nearest() {
        let seed = 7;
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..200_000 {
            let x = f64::from_bits(random.u64(..));
            let whole: String = (0..random.usize(1..25)).map(|_| random.digit(10)).collect();
            let fraction: String = (0..random.usize(1..25)).map(|_| random.digit(10)).collect();
            let exponent = random.i32(-330..330);
            for text in [
                format!("{x}"),
                format!("{x:e}"),
                format!("{whole}.{fraction}"),
                format!("-{whole}.{fraction}e{exponent}"),
            ] {
                assert_eq!(number(&text).map(f64::to_bits), expected(&text).map(f64::to_bits), "{text} (seed {seed})");
            }
        }
    }

    #[test]
    fn the_extent_of_a_value_is_found() {
        for value in ["1.5e3", "null", "\"a\\\"b\"", "[1, {\"]\": \"}\"}]", "{\"a\\\\\": [[]]}", "\"\u{e9}\""] {
            for after in ["", ",", "}", " ", "]"] {
                let text = format!(" {value}{after}");
                assert_eq!(Cursor::new(text.as_bytes()).value(), Some(value.as_bytes()), "{text}");
            }
        }
        for text in ["", "[1", "\"a", "\"a\\\"", ",", "[\"]", &"[".repeat(200)] {
            assert_eq!(Cursor::new(text.as_bytes()).value(), None, "{text}");
        }
    }
}
