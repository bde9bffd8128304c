//! Examples and exit codes at the end of each `--help`. A test runs every example.

macro_rules! help {
    ($($example:literal)* ; $exit:literal) => {
        concat!("Examples:\n", $("  ", $example, "\n",)* "\nExit codes: ", $exit)
    };
}

pub const CAROM: &str = help!(
    "carom gallery                                    # the built-in scenes"
    "carom impact kane                                # one impact"
    "carom simulate robot.urdf --render page.html     # your robot on a floor, as a page"
    "carom impact --help                              # the options and examples of a command";
    "0 success, 1 partial results, 2 bad input or usage."
);

pub const IMPACT: &str = help!(
    "carom impact kane                                # a built-in scene"
    "carom impact kane --restitution 0.2 --friction 0.5,0.4 --guard slip"
    "carom impact foot --set state.velocity.front_left_knee=4 --law poisson"
    "carom impact robot.urdf --link '*_foot' --velocity 0.5,0,-1"
    "carom impact --event run.json:0                  # an impact of a run: its state, its contacts"
    "carom impact scene.toml --format json            # for programs";
    "0 solved, 2 bad input or usage."
);

pub const SIMULATE: &str = help!(
    "carom simulate ball                              # a built-in simulation"
    "carom simulate robot.urdf --height 0.1 --until 0.5 --render page.html"
    "carom simulate walker --until 1 -o run.csv --plot run.svg"
    "carom simulate ball --restitution 0.5 --events all"
    "carom simulate cube --law chord                  # by another law of impacts"
    "carom simulate ball -o - --format json -q        # the whole run on standard output";
    "0 complete, 1 interrupted, out of time or failed during the run (results so far are written and marked), 2 bad \
     input or usage."
);

pub const RERUN: &str = help!(
    "carom rerun run.json                             # the same to the bit, or where it differs"
    "carom rerun run.json --render page.html          # its page";
    "0 equal to the bit, 1 not equal, 2 bad input, or a run that cannot be repeated."
);

pub const MAP: &str = help!(
    "carom map kane -o kane.svg                       # restitution across, friction upwards"
    "carom map foot --over state --resolution 100 -o foot.svg"
    "carom map kane --range 0:0.5,0:2 --admissible-set -o kane.svg"
    "carom map --event run.json:0 -o event.svg        # an impact of a run"
    "carom map kane --resolution 50 -o - --format csv # the data on standard output";
    "0 drawn, 2 bad input or usage."
);

pub const COMPARE: &str = help!(
    "carom compare kane                               # every law, as a table"
    "carom compare cube --friction 0.1 -o cube.svg    # their impulses in the friction cone"
    "carom compare --event run.json:0                 # an impact of a run"
    "carom compare kane --format json"
    "carom compare --simulate cube -o paths.svg       # one drop by every law: a figure of the paths"
    "carom compare --simulate cube --until 1          # where each ends, as a table";
    "0 solved or drawn, 2 bad input or usage."
);

pub const BATCH: &str = help!(
    "carom batch problems.jsonl -o outcomes.jsonl"
    "carom gallery kane --format json | carom batch -";
    "0 all lines solved, 1 some line failed, 2 bad input or usage."
);

pub const SWEEP: &str = help!(
    "carom sweep kane --vary restitution=0:1:50 --vary friction=0:1.5:50 -o kane.csv"
    "carom sweep arm --random 'state.velocity.elbow=normal(0,1)' --samples 1000 --seed 7 -o arms"
    "carom sweep foot --vary friction=[0.2,0.5] --columns mode,impulse -o - --format csv"
    "carom sweep ball --simulate --vary restitution=0:0.9:10 --columns at_rest,impacts -o ball.csv"
    "carom sweep arm --vary friction=0:1:1000 --part-rows 100 --shard 0/4 -o shards";
    "0 complete, 1 interrupted or some samples have no answer (their rows say why), 2 bad input or usage."
);

pub const PLOT: &str = help!(
    "carom plot kane.csv --x restitution --y friction --color-by energy.change -o kane-energy.svg"
    "carom plot arms --x state.velocity.elbow --y energy.change --color-by mode -o arms.svg"
    "carom plot ball.csv --x restitution --y at_rest -o rest.svg";
    "0 drawn, 2 bad input or usage."
);

pub const CHECK: &str = help!(
    "carom check robot.urdf --floating-base"
    "carom check quadruped -v                         # a built-in model, every list whole"
    "carom check robot.urdf --format json";
    "0 the robot can be used, 2 it cannot be read."
);

pub const EXPLORE: &str = help!(
    "carom explore                                    # Kane's pendulum, in the browser"
    "carom explore robot.urdf                         # your robot"
    "carom explore scene.toml --no-open --port 8000   # prints the address only";
    "0 ended by Ctrl-C, 2 bad input or usage."
);

pub const GALLERY: &str = help!(
    "carom gallery                                    # a list"
    "carom gallery foot > scene.toml                  # a scene to start from"
    "carom gallery walker --simulation"
    "carom gallery --format json                      # names, kinds and titles";
    "0 printed, 2 bad input or usage."
);

pub const SCHEMA: &str = help!(
    "carom schema scene > scene.schema.json           # an editor completes scenes with it"
    "carom schema outcome";
    "0 printed, 2 bad usage."
);

pub const COMPLETIONS: &str = help!(
    "carom completions bash > carom.bash              # then: source carom.bash"
    "carom completions zsh > _carom                   # into a folder of $fpath";
    "0 printed, 2 bad usage."
);

pub const MAN: &str = help!(
    "carom man > carom.1                              # then: man ./carom.1"
    "carom man impact"
    "carom man -o man1                                # a page per command into the folder man1";
    "0 written, 2 bad input or usage."
);
