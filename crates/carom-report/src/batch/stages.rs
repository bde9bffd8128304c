//! The stages of a batch: a thread reads blocks of lines, the threads of the pool solve them, and the caller writes the outcomes
//! in order. The number of blocks bounds the memory: the reader waits for one that was written.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use carom_scene::line::LineSolver;
use carom_scene::robots::Robots;

use super::blocks::{Block, Blocks};
use super::{Failure, Options, Progress};

/// Blocks for each thread of the pool: one to solve, one to wait, and some for outcomes that wait for earlier ones.
const BLOCKS_PER_THREAD: usize = 4;
/// How long a caller that is itself a thread of the pool waits before it checks for work again.
const PAUSE: Duration = Duration::from_micros(200);

/// Messages from the other threads to the caller.
enum Message {
    /// A block was read; `None` at the end of the input.
    Read(io::Result<Option<Block>>),
    /// The block of this number was solved; `None` if that panicked, which the pool passes on.
    Solved(usize, Option<Solved>),
}

/// The outcomes of a block.
struct Solved {
    block: Block,
    text: Vec<u8>,
    problems: u64,
    failed: u64,
}

/// Those of [`super::run`].
pub(super) fn run(
    input: impl Read + Send,
    options: &Options<'_>,
    output: impl Write,
    on_progress: impl FnMut(&Progress),
) -> Result<Progress, Failure> {
    let solvers = Solvers { options, robots: Arc::default(), idle: Mutex::default() };
    let (sender, messages) = mpsc::channel();
    let (returned, blocks) = mpsc::channel();
    for _ in 0..BLOCKS_PER_THREAD * rayon::current_num_threads() + 1 {
        let _ = returned.send(Block::default());
    }
    let to_caller = sender.clone();
    std::thread::scope(|scope| {
        scope.spawn(move || read(Blocks::new(input), &blocks, &to_caller));
        // The channels of the caller end with it, and so does the reader, which waits for blocks.
        let mut caller = Caller { messages, returned, output, on_progress, progress: Progress::default() };
        rayon::in_place_scope(|pool| {
            caller.run(|number, block, text| {
                let (sender, solvers) = (sender.clone(), &solvers);
                pool.spawn(move |_| {
                    let mut report = Report { sender, number, solved: None };
                    report.solved = Some(solvers.solve(block, text));
                });
            })
        })
    })
}

/// Reads until the end, an error, or until the caller has gone.
fn read(mut blocks: Blocks<impl Read>, empty: &Receiver<Block>, to_caller: &Sender<Message>) {
    while let Ok(block) = empty.recv() {
        let read = blocks.next(block);
        let is_last = !matches!(read, Ok(Some(_)));
        if to_caller.send(Message::Read(read)).is_err() || is_last {
            return;
        }
    }
}

/// Reports to the caller, when dropped, that a block was solved; also after a panic.
struct Report {
    sender: Sender<Message>,
    number: usize,
    solved: Option<Solved>,
}

impl Drop for Report {
    fn drop(&mut self) {
        // Without a caller the batch has ended.
        let _ = self.sender.send(Message::Solved(self.number, self.solved.take()));
    }
}

/// The idle solvers; in total there are as many as threads.
struct Solvers<'a> {
    options: &'a Options<'a>,
    robots: Arc<Robots>,
    idle: Mutex<Vec<LineSolver>>,
}

impl Solvers<'_> {
    fn solve(&self, block: Block, mut text: Vec<u8>) -> Solved {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut solver =
            idle.unwrap_or_else(|| LineSolver::new(self.options.folder, &self.robots).fields(self.options.fields));
        text.clear();
        let (mut problems, mut failed) = (0, 0);
        for (number, line) in block.lines() {
            problems += 1;
            failed += u64::from(solver.solve(line, number, &mut text).is_err());
            text.push(b'\n');
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(solver);
        Solved { block, text, problems, failed }
    }
}

/// The thread that started the batch.
struct Caller<W, P> {
    messages: Receiver<Message>,
    returned: Sender<Block>,
    output: W,
    on_progress: P,
    progress: Progress,
}

impl<W: Write, P: FnMut(&Progress)> Caller<W, P> {
    /// Passes blocks to `solve`, with their numbers and memory for outcomes, and writes the outcomes in order.
    fn run(&mut self, mut solve: impl FnMut(usize, Block, Vec<u8>)) -> Result<Progress, Failure> {
        let mut ended = None;
        // Outcomes from the first that is not written yet.
        let mut waiting: VecDeque<Option<Solved>> = VecDeque::new();
        let mut written = 0;
        let mut texts = Vec::new();
        while ended.is_none() || !waiting.is_empty() {
            match next(&self.messages) {
                Some(Message::Read(Ok(Some(block)))) => {
                    solve(written + waiting.len(), block, texts.pop().unwrap_or_default());
                    waiting.push_back(None);
                }
                Some(Message::Read(Ok(None))) => ended = Some(Ok(())),
                Some(Message::Read(Err(error))) => ended = Some(Err(Failure::Read(error))),
                Some(Message::Solved(number, Some(solved))) => waiting[number - written] = Some(solved),
                // A panic, which the pool passes on.
                Some(Message::Solved(_, None)) | None => return Ok(self.progress),
            }
            while let Some(Some(solved)) = waiting.front_mut().map(Option::take) {
                waiting.pop_front();
                written += 1;
                self.write(&solved)?;
                texts.push(solved.text);
                // Without a reader the input has ended.
                let _ = self.returned.send(solved.block);
            }
        }
        ended.unwrap_or(Ok(()))?;
        self.output.flush().map_err(Failure::Write)?;
        Ok(self.progress)
    }

    fn write(&mut self, solved: &Solved) -> Result<(), Failure> {
        self.output.write_all(&solved.text).map_err(Failure::Write)?;
        self.progress.problems += solved.problems;
        self.progress.failed += solved.failed;
        self.progress.bytes += solved.block.text().len() as u64;
        (self.on_progress)(&self.progress);
        Ok(())
    }
}

/// The next message. A caller that is a thread of the pool solves blocks while it waits: it may be the only one.
fn next(messages: &Receiver<Message>) -> Option<Message> {
    loop {
        match messages.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        match rayon::yield_now() {
            None => return messages.recv().ok(),
            Some(rayon::Yield::Executed) => {}
            Some(rayon::Yield::Idle) => match messages.recv_timeout(PAUSE) {
                Ok(message) => return Some(message),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            },
        }
    }
}
