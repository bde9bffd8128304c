//! The input in blocks of whole lines.

use std::io::{self, ErrorKind, Read};

/// Bytes read at a time: some hundred lines, which keep a thread busy for a millisecond. A block with a longer line grows.
const BLOCK: usize = 128 << 10;

/// Whole lines of the input. The next block reuses its memory.
#[derive(Debug, Default)]
pub(super) struct Block {
    memory: Vec<u8>,
    length: usize,
    /// The number of the first line, counted from 1.
    first: usize,
}

impl Block {
    /// Its bytes.
    pub(super) fn text(&self) -> &[u8] {
        &self.memory[..self.length]
    }

    /// The lines that are not blank, with their line breaks and numbers.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut rest = self.text();
        let lines = std::iter::from_fn(move || {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |place| place + 1);
            rest.split_off(..end).filter(|line| !line.is_empty())
        });
        (self.first..).zip(lines).filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace))
    }
}

/// Reads blocks.
pub(super) struct Blocks<R> {
    input: R,
    /// Lines in the blocks before.
    lines: usize,
    /// The beginning of a line that the last block did not have in full.
    rest: Vec<u8>,
    is_at_end: bool,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, lines: 0, rest: Vec::new(), is_at_end: false }
    }

    /// Reads the next block into the memory of another; `None` at the end of the input.
    pub(super) fn next(&mut self, Block { mut memory, .. }: Block) -> io::Result<Option<Block>> {
        if memory.len() < BLOCK.max(2 * self.rest.len()) {
            memory.resize(BLOCK.max(2 * self.rest.len()), 0);
        }
        let mut filled = self.rest.len();
        memory[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        let length = loop {
            if self.is_at_end {
                break filled;
            }
            if filled == memory.len() {
                match memchr::memrchr(b'\n', &memory) {
                    Some(last) => break last + 1,
                    None => memory.resize(2 * filled, 0),
                }
            }
            match self.input.read(&mut memory[filled..]) {
                Ok(0) => self.is_at_end = true,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        self.rest.extend_from_slice(&memory[length..filled]);
        let first = self.lines + 1;
        self.lines += memchr::memchr_iter(b'\n', &memory[..length]).count();
        Ok((length > 0).then_some(Block { memory, length, first }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a random number of bytes at a time, and is interrupted now and then.
    struct Trickle<'a> {
        text: &'a [u8],
        random: fastrand::Rng,
    }

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.random.u8(..) < 20 {
                return Err(ErrorKind::Interrupted.into());
            }
            let count = self.random.usize(1..=200_000).min(buffer.len()).min(self.text.len());
            let (now, later) = self.text.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.text = later;
            Ok(count)
        }
    }

    #[test]
    fn lines_of_any_length_keep_their_numbers() {
        for seed in 0..20 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut text = Vec::new();
            for _ in 0..random.usize(0..300) {
                let length = match random.u8(0..10) {
                    0 => 0,
                    1 => random.usize(0..3 * BLOCK),
                    _ => random.usize(0..2000),
                };
                text.extend(std::iter::repeat_with(|| b"ab \r"[random.usize(0..4)]).take(length));
                text.push(b'\n');
            }
            if random.bool() {
                text.extend_from_slice(b"the end has no line break");
            }
            let expected: Vec<(usize, &[u8])> = text
                .split_inclusive(|byte| *byte == b'\n')
                .enumerate()
                .map(|(k, line)| (k + 1, line))
                .filter(|(_, line)| !line.trim_ascii().is_empty())
                .collect();
            let mut blocks = Blocks::new(Trickle { text: &text, random: fastrand::Rng::with_seed(seed) });
            let mut found = Vec::new();
            let (mut bytes, mut used) = (0, Block::default());
            while let Some(block) = blocks.next(used).unwrap() {
                bytes += block.text().len();
                found.extend(block.lines().map(|(number, line)| (number, line.to_vec())));
                used = block;
            }
            assert_eq!(bytes, text.len(), "seed {seed}");
            assert_eq!(found.len(), expected.len(), "seed {seed}");
            assert!(
                found.iter().zip(&expected).all(|(found, expected)| (found.0, &found.1[..]) == *expected),
                "seed {seed}"
            );
        }
    }
}
