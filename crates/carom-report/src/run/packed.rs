//! Numbers for a page: little-endian, in base 64.

/// Single precision is enough for a screen.
pub(super) fn floats(numbers: impl IntoIterator<Item = f64>) -> String {
    base64(numbers.into_iter().flat_map(|x| (x as f32).to_le_bytes()))
}

/// Times: two events may be a billionth of a second apart.
pub(super) fn doubles(numbers: impl IntoIterator<Item = f64>) -> String {
    base64(numbers.into_iter().flat_map(f64::to_le_bytes))
}

/// Counts and indices.
pub(super) fn integers(numbers: impl IntoIterator<Item = usize>) -> String {
    base64(numbers.into_iter().flat_map(|x| u32::try_from(x).unwrap_or(u32::MAX).to_le_bytes()))
}

pub(super) fn base64(bytes: impl IntoIterator<Item = u8>) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    let mut group = [0_u8; 3];
    let mut count = 0;
    let mut put = |group: [u8; 3], count: usize| {
        let word = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for k in 0..4 {
            let sign = SIGNS[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= count { char::from(sign) } else { '=' });
        }
    };
    for byte in bytes {
        group[count] = byte;
        count += 1;
        if count == 3 {
            put(group, count);
            (group, count) = ([0; 3], 0);
        }
    }
    if count > 0 {
        put(group, count);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4648.
    #[test]
    fn base64_is_the_standard_one() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(base64(plain.bytes()), coded);
        }
    }
}
