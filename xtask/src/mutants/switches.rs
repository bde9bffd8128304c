//! Source files in which every mutant of a list is behind a switch: one build serves them all.
//!
//! `a + b` becomes `(match crate::mutant_switch::on(7) { 7 => (a) - (b), 8 => (a) * (b), _ => a + b })`, and a function that is to
//! return something else does so at its start. A comparison tells by its operands what its mutants would answer: a test in which
//! none of them answers otherwise cannot notice it, and is not run. What cannot be written so is left to cargo-mutants, with a
//! build each.

use std::ops::Range;

use proc_macro2::{LineColumn, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A mutant as cargo-mutants lists it.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Its description by cargo-mutants.
    pub name: String,
    pub file: String,
    pub genre: String,
    pub replacement: String,
    /// Where it starts, as line and column, both from 1.
    pub start: (usize, usize),
}

/// The module that the switches ask, at the end of the crate's `lib.rs`: the number of the mutant that is on, or 0. Each switch names
/// a mutant of its place; the first time that a process comes there, and for a condition the first time that the mutant would answer
/// otherwise, the number is added to the file `CAROM_REACHED`, if it is set.
pub const MODULE: &str = r#"
#[allow(missing_docs)]
pub(crate) mod mutant_switch {
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    static ON: OnceLock<u32> = OnceLock::new();
    static REACHED: [AtomicBool; 100_000] = [const { AtomicBool::new(false) }; 100_000];
    pub(crate) fn on(place: u32) -> u32 {
        reach(place);
        *ON.get_or_init(|| std::env::var("CAROM_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0))
    }
    pub(crate) fn choose<const N: usize>(original: bool, others: [(u32, bool); N]) -> bool {
        others.into_iter().filter(|(_, other)| *other != original).fold(original, |chosen, (place, other)| {
            if on(place) == place { other } else { chosen }
        })
    }
    fn reach(place: u32) {
        let first = REACHED.get(place as usize);
        if first.is_some_and(|place| !place.load(Relaxed) && !place.swap(true, Relaxed)) {
            if let Some(path) = std::env::var_os("CAROM_REACHED") {
                let file = std::fs::File::options().append(true).create(true).open(path);
                let _ = file.and_then(|mut file| file.write_all(format!("{place}\n").as_bytes()));
            }
        }
    }
}
"#;

/// The question that a switch asks, at the place of the mutant with this number.
fn on(place: u32) -> String {
    format!("crate::mutant_switch::on({place})")
}

/// A rewritten file.
pub struct Rewritten {
    pub text: String,
    /// Where in it each mutant is, by its number.
    pub places: Vec<(u32, Range<usize>)>,
    /// The number that the switch of a mutant has for its place, by the number of the mutant.
    pub reached_as: Vec<(u32, u32)>,
    /// The numbers of mutants that no switch can stand for.
    pub left: Vec<u32>,
}

/// A place of the source at which mutants change something.
#[derive(Debug)]
enum Site {
    /// An operator between two operands, with the operators that replace it.
    Binary { left: Range<usize>, right: Range<usize>, others: Vec<(u32, String)> },
    /// A comparison, with the operators that replace it.
    Comparison { left: Range<usize>, operator: String, right: Range<usize>, others: Vec<(u32, String)> },
    /// An operator before an operand, which is left out.
    Unary { operand: Range<usize>, number: u32 },
    /// The guard of a match arm, with what replaces it.
    Guard { others: Vec<(u32, String)> },
    /// After the pattern of a match arm that is left out; whether a guard follows.
    Arm { number: u32, guard: Option<Range<usize>> },
    /// The start of a function, and what it returns instead.
    Start { others: Vec<(u32, String)> },
}

/// Puts mutants of one file behind switches.
///
/// # Errors
/// The file is not Rust.
pub fn rewrite(source: &str, mutants: &[(u32, &Mutant)]) -> Result<Rewritten, syn::Error> {
    let file = syn::parse_file(source)?;
    let starts = line_starts(source);
    let wanted =
        mutants.iter().map(|(number, mutant)| (*number, *mutant, offset(source, &starts, mutant.start))).collect();
    let mut finder = Finder { wanted, sites: Vec::new() };
    for (number, mutant, at) in &finder.wanted {
        if mutant.genre == "FnValue" {
            finder.sites.push((*at..*at, Site::Start { others: vec![(*number, mutant.replacement.clone())] }));
        }
    }
    finder.visit_file(&file);
    let mut sites = finder.sites;
    // The outermost first; what is inserted before all else.
    sites.sort_by_key(|(range, _)| (range.start, range.end > range.start, std::cmp::Reverse(range.end)));
    let mut writer = Writer {
        source,
        sites: &sites,
        text: String::with_capacity(2 * source.len()),
        places: Vec::new(),
        reached_as: Vec::new(),
    };
    writer.write(0..source.len(), 0);
    let (text, places, reached_as) = (writer.text, writer.places, writer.reached_as);
    let has = |number: u32| places.iter().any(|(at, _)| *at == number);
    let left = mutants.iter().map(|(number, _)| *number).filter(|number| !has(*number)).collect();
    Ok(Rewritten { text, places, reached_as, left })
}

fn line_starts(source: &str) -> Vec<usize> {
    std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The byte at a line and a column of characters, both from 1.
fn offset(source: &str, starts: &[usize], (line, column): (usize, usize)) -> usize {
    let start = starts.get(line - 1).copied().unwrap_or(source.len());
    let rest = &source[start..];
    start + rest.char_indices().nth(column - 1).map_or(rest.len(), |(at, _)| at)
}

/// Finds the expressions of mutants.
struct Finder<'a> {
    /// Number, mutant, and the byte at which it starts.
    wanted: Vec<(u32, &'a Mutant, usize)>,
    sites: Vec<(Range<usize>, Site)>,
}

impl Finder<'_> {
    /// The mutants of a genre that start at a byte, with their replacements.
    fn at(&self, genre: &str, byte: usize) -> Vec<(u32, String)> {
        let is_here = |(_, mutant, at): &&(u32, &Mutant, usize)| mutant.genre == genre && *at == byte;
        self.wanted.iter().filter(is_here).map(|(number, mutant, _)| (*number, mutant.replacement.clone())).collect()
    }
}

fn bytes(span: Span) -> Range<usize> {
    span.byte_range()
}

impl<'ast> Visit<'ast> for Finder<'_> {
    /// A constant has its value before any switch is asked.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        let others = self.at("BinaryOperator", bytes(node.op.span()).start);
        // `a && let b = c` is no expression of its own.
        if !others.is_empty() && !has_let(&node.left) && !has_let(&node.right) {
            let (left, right) = (bytes(node.left.span()), bytes(node.right.span()));
            let whole = left.start..right.end;
            let site = match comparison(&node.op) {
                Some(operator) => Site::Comparison { left, operator: operator.into(), right, others },
                None => Site::Binary { left, right, others },
            };
            self.sites.push((whole, site));
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        let whole = bytes(node.span());
        for (number, _) in self.at("UnaryOperator", whole.start) {
            self.sites.push((whole.clone(), Site::Unary { operand: bytes(node.expr.span()), number }));
        }
        visit::visit_expr_unary(self, node);
    }

    fn visit_arm(&mut self, node: &'ast syn::Arm) {
        let pattern = bytes(node.pat.span());
        let guard = node.guard.as_ref().map(|(_, guard)| bytes(guard.span()));
        if let Some((_, expression)) = &node.guard
            && !has_let(expression)
            && let Some(place) = &guard
        {
            let others = self.at("MatchArmGuard", place.start);
            if !others.is_empty() {
                self.sites.push((place.clone(), Site::Guard { others }));
            }
        }
        for (number, _) in self.at("MatchArm", bytes(node.span()).start) {
            self.sites.push((pattern.end..pattern.end, Site::Arm { number, guard: guard.clone() }));
        }
        visit::visit_arm(self, node);
    }
}

/// A comparison as it is written; `None` for other operators.
fn comparison(operator: &syn::BinOp) -> Option<&'static str> {
    Some(match operator {
        syn::BinOp::Eq(_) => "==",
        syn::BinOp::Ne(_) => "!=",
        syn::BinOp::Lt(_) => "<",
        syn::BinOp::Le(_) => "<=",
        syn::BinOp::Gt(_) => ">",
        syn::BinOp::Ge(_) => ">=",
        _ => return None,
    })
}

/// Whether an expression has a `let` that is not inside a block or a closure.
fn has_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        syn::Expr::Paren(paren) => has_let(&paren.expr),
        _ => false,
    }
}

/// Writes the source with its switches.
struct Writer<'a> {
    source: &'a str,
    sites: &'a [(Range<usize>, Site)],
    text: String,
    places: Vec<(u32, Range<usize>)>,
    reached_as: Vec<(u32, u32)>,
}

impl Writer<'_> {
    /// Writes a part of the source, with the sites from an index on that lie in it. Returns the index of the next site.
    fn write(&mut self, part: Range<usize>, mut next: usize) -> usize {
        let (sites, mut at) = (self.sites, part.start);
        while let Some((range, site)) = sites.get(next) {
            if range.start > part.end || range.end > part.end {
                break;
            }
            next += 1;
            if range.start < at {
                continue;
            }
            self.text.push_str(&self.source[at..range.start]);
            at = range.end;
            next = self.write_site(range, site, next);
        }
        self.text.push_str(&self.source[at..part.end]);
        next
    }

    fn write_site(&mut self, range: &Range<usize>, site: &Site, next: usize) -> usize {
        match site {
            Site::Binary { left, right, others } => {
                let (left, right) = (&self.source[left.clone()], &self.source[right.clone()]);
                let other = |(number, operator): &(u32, String)| (*number, format!("({left}) {operator} ({right})"));
                self.choice(others.iter().map(other).collect(), range, next)
            }
            Site::Unary { operand, number } => {
                self.choice(vec![(*number, self.source[operand.clone()].into())], range, next)
            }
            Site::Comparison { left, operator, right, others } => {
                // As a comparison itself does, this takes both operands by reference.
                self.text.push_str("(match (&(");
                let next = self.write(left.clone(), next);
                self.text.push_str("), &(");
                let next = self.write(right.clone(), next);
                self.text.push_str(&format!(")) {{ (l, r) => crate::mutant_switch::choose(*l {operator} *r, ["));
                self.write_others(others.iter().map(|(number, other)| (*number, format!("*l {other} *r"))));
                self.text.push_str("]) })");
                next
            }
            Site::Guard { others } => {
                self.text.push_str("crate::mutant_switch::choose(");
                let next = self.write(range.clone(), next);
                self.text.push_str(", [");
                self.write_others(others.iter().cloned());
                self.text.push_str("])");
                next
            }
            Site::Arm { number, guard: None } => {
                let start = self.text.len();
                self.text.push_str(&format!(" if {} != {number}", on(*number)));
                self.places.push((*number, start..self.text.len()));
                self.reached_as.push((*number, *number));
                next
            }
            // An arm with a guard is left to cargo-mutants.
            Site::Arm { .. } => next,
            Site::Start { others } => {
                for (number, value) in others {
                    let start = self.text.len();
                    self.text.push_str(&format!("if {} == {number} {{ return {value}; }} ", on(*number)));
                    self.places.push((*number, start..self.text.len()));
                    self.reached_as.push((*number, *number));
                }
                next
            }
        }
    }

    /// Writes what conditions would answer instead, each with the number of its mutant.
    fn write_others(&mut self, others: impl Iterator<Item = (u32, String)>) {
        for (number, text) in others {
            let start = self.text.len();
            self.text.push_str(&format!("({number}, {text}), "));
            self.places.push((number, start..self.text.len()));
            self.reached_as.push((number, number));
        }
    }

    /// Writes an expression and what replaces it, each with the number of its mutant.
    fn choice(&mut self, others: Vec<(u32, String)>, range: &Range<usize>, next: usize) -> usize {
        let place = others.first().map_or(0, |(number, _)| *number);
        self.text.push_str(&format!("(match {} {{ ", on(place)));
        for (number, text) in others {
            let start = self.text.len();
            self.text.push_str(&format!("{number} => {{ {text} }} "));
            self.places.push((number, start..self.text.len()));
            self.reached_as.push((number, place));
        }
        // In brackets: as an arm, `if a { b } else { c } * d` would end before the operator.
        self.text.push_str("_ => (");
        let next = self.write(range.clone(), next);
        self.text.push_str(") })");
        next
    }
}

/// The byte of a line and column from 1 in a text, as compilers count them.
pub fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let place = LineColumn { line, column };
    offset(text, &line_starts(text), (place.line, place.column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(genre: &str, replacement: &str, start: (usize, usize)) -> Mutant {
        Mutant { name: String::new(), file: String::new(), genre: genre.into(), replacement: replacement.into(), start }
    }

    fn rewritten(source: &str, mutants: &[Mutant]) -> Rewritten {
        let numbered: Vec<(u32, &Mutant)> = (1..).zip(mutants).collect();
        rewrite(source, &numbered).unwrap()
    }

    #[test]
    fn operators_inside_operators_are_switched_one_at_a_time() {
        let source = "fn f(a: f64, b: f64) -> f64 {\n    a + b * 2.0\n}\n";
        let mutants = [
            mutant("BinaryOperator", "-", (2, 7)),
            mutant("BinaryOperator", "/", (2, 11)),
            mutant("FnValue", "1.0", (2, 5)),
        ];
        let all = rewritten(source, &mutants);
        assert!(all.left.is_empty());
        syn::parse_file(&all.text).unwrap();
        let text = all.text.as_str();
        let inner = format!("(match {} {{ 2 => {{ (b) / (2.0) }} _ => (b * 2.0) }})", on(2));
        let wanted = format!("(match {} {{ 1 => {{ (a) - (b * 2.0) }} _ => (a + {inner}) }})", on(1));
        assert!(text.contains(&wanted), "{text}");
        assert!(text.contains(&format!("if {} == 3 {{ return 1.0; }}", on(3))), "{text}");
        for (number, place) in &all.places {
            assert!(text[place.clone()].contains(&number.to_string()));
        }
    }

    #[test]
    fn guards_arms_and_signs_are_switched_and_conditions_with_let_are_left() {
        let source = "fn f(x: Option<i32>) -> i32 {\n    if let Some(y) = x && y > 1 { return -y; }\n    \
                      match x {\n        Some(y) if y > 0 => y,\n        None => 1,\n        _ => 2,\n    }\n}\n";
        let mutants = [
            mutant("BinaryOperator", "||", (2, 24)),
            mutant("BinaryOperator", "<", (2, 29)),
            mutant("UnaryOperator", "", (2, 42)),
            mutant("MatchArmGuard", "true", (4, 20)),
            mutant("MatchArm", "", (5, 9)),
            mutant("BinaryOperator", ">=", (4, 22)),
        ];
        let all = rewritten(source, &mutants);
        assert_eq!(all.left, [1], "{}", all.text);
        syn::parse_file(&all.text).unwrap();
        assert!(all.text.contains("None if crate::mutant_switch::on(5) != 5 => 1"), "{}", all.text);
        assert!(all.text.contains("3 => { y } _ => (-y)"), "{}", all.text);
        let inner = "(match (&(y), &(0)) { (l, r) => crate::mutant_switch::choose(*l > *r, [(6, *l >= *r), ]) })";
        let guard = format!("if crate::mutant_switch::choose({inner}, [(4, true), ])");
        assert!(all.text.contains(&guard), "{}", all.text);
    }

    #[test]
    fn what_a_constant_is_made_of_has_a_build_of_its_own() {
        let source = "const A: f64 = 2.0 * 3.0;\nfn f() -> f64 {\n    A * 3.0\n}\n";
        let all = rewritten(source, &[mutant("BinaryOperator", "+", (1, 20)), mutant("BinaryOperator", "+", (3, 7))]);
        assert_eq!(all.left, [1]);
        assert!(all.text.starts_with("const A: f64 = 2.0 * 3.0;\n"), "{}", all.text);
    }

    #[test]
    fn an_operand_that_ends_with_a_block_stays_an_operand() {
        let source = "fn f(a: bool, b: f64) -> f64 {\n    let c = if a { 1.0 } else { 2.0 } * b;\n    c\n}\n";
        let all = rewritten(source, &[mutant("BinaryOperator", "+", (2, 39))]);
        assert!(all.left.is_empty());
        syn::parse_file(&all.text).unwrap();
    }
}
