//! Exact depth of protocol trees: bounds first, then a search over pairs of row and column sets.
//!
//! `Solver::solve` asks whether a rectangle can be decided in b bits. It first drops equal rows and columns, then compares b
//! with bounds by rank and by telling rows apart, then looks for a split of the rows, or of the columns, into two parts that
//! b - 1 bits decide. Parts are built element by element: when a part is too hard, so is every larger one, and the part is kept
//! as an *edge* that no part of a later attempt may contain. What is known of a rectangle is kept in a table. The edges are the
//! evidence, too: `Solver::exhausted` collects those that rank does not explain.

use crate::matrix::bound::pivots;
use crate::matrix::small::{Depths, keep_columns, keep_rows, splits};
use crate::matrix::variant::{NEVER, Rounds, State};
use crate::matrix::{Exhausted, FoolingSet, Matrix, Minors, Node, Party, Rectangle, Tree, bits};
use crate::search::clique::Graph;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Most different rows or columns of a matrix that is searched.
pub const MAX_SIDE: usize = 64;

/// Sides and splits are masks of places in the reduced matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rows: u64,
    columns: u64,
}

impl Pair {
    fn side(self, party: Party) -> u64 {
        match party {
            Party::Alice => self.rows,
            Party::Bob => self.columns,
        }
    }

    fn with(self, party: Party, part: u64) -> Self {
        match party {
            Party::Alice => Self { rows: part, ..self },
            Party::Bob => Self {
                columns: part,
                ..self
            },
        }
    }
}

/// What is known of a rectangle.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// It cannot be decided in fewer bits.
    lower: u8,
    /// It can be decided in so many bits; 0 is "not known" unless constant.
    upper: Option<u8>,
    /// The split that does it; `None` when rows (or columns) are told apart one by one.
    split: Option<(Party, u64)>,
}

/// An open-addressing table from rectangles to what is known of them.
#[derive(Debug)]
struct Table {
    slots: Vec<Option<(Pair, Known)>>,
    used: usize,
}

impl Table {
    fn new() -> Self {
        Self {
            slots: vec![None; 1 << 8],
            used: 0,
        }
    }

    fn place(&self, key: Pair) -> usize {
        let mixed = (key.rows ^ key.columns.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29) ^ key.columns).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mask = self.slots.len() - 1;
        let mut place = (mixed >> 32) as usize & mask;
        while self.slots[place].is_some_and(|(other, _)| other != key) {
            place = (place + 1) & mask;
        }
        place
    }

    fn get(&self, key: Pair) -> Known {
        self.slots[self.place(key)].map_or_else(Known::default, |(_, known)| known)
    }

    fn set(&mut self, key: Pair, known: Known) {
        if 2 * self.used >= self.slots.len() {
            let larger = vec![None; 2 * self.slots.len()];
            let old = std::mem::replace(&mut self.slots, larger);
            for (key, known) in old.into_iter().flatten() {
                let place = self.place(key);
                self.slots[place] = Some((key, known));
            }
        }
        let place = self.place(key);
        self.used += usize::from(self.slots[place].is_none());
        self.slots[place] = Some((key, known));
    }
}

/// Counters of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rectangles that are in the table.
    pub rectangles: usize,
    /// Parts whose depth was asked for.
    pub parts: u64,
}

/// What proves the lower bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lower {
    /// Ranks.
    Minors(Minors),
    /// Fooling sets.
    FoolingSet(FoolingSet),
    /// An exhausted search.
    Exhausted(Exhausted),
}

/// What was found about a matrix.
#[derive(Clone, Debug)]
pub struct Found {
    /// No tree has fewer bits.
    pub lower: u32,
    /// A tree with the fewest bits found.
    pub tree: Tree,
    /// Its depth.
    pub upper: u32,
    /// The proof of `lower`.
    pub proof: Lower,
    /// By rank alone.
    pub by_rank: Minors,
    /// By fooling sets alone.
    pub by_fooling: FoolingSet,
    /// Work.
    pub stats: Stats,
}

impl Found {
    /// Whether the bounds meet.
    pub fn exact(&self) -> bool {
        self.lower == self.upper
    }
}

/// The least depth, with both proofs; when `stop` is set, or when there are too many rows or columns, what is known by then.
///
/// # Cost
/// By bounds alone when they meet; else 2^rows + 2^columns splits of each rectangle that is visited, in the worst case of all.
pub fn depth(matrix: &Matrix, stop: &AtomicBool) -> Found {
    let by_rank = Minors::of(matrix);
    let by_fooling = fooling_set(matrix);
    let (ranked, fooled) = (bits(by_rank.leaves()), bits(by_fooling.leaves()));
    let mut solver = Solver::new(matrix, stop);
    let mut lower = ranked.max(fooled);
    let mut proof = if fooled >= ranked {
        Lower::FoolingSet(by_fooling.clone())
    } else {
        Lower::Minors(by_rank.clone())
    };
    let whole = solver.whole;
    let most = solver.trivial(whole).1;
    let mut solved = most;
    if solver.searchable() {
        let first = lower;
        for bound in first..most {
            match solver.solve(whole, u8::try_from(bound).unwrap_or(u8::MAX)) {
                Ok(true) => {
                    solved = bound;
                    break;
                }
                Ok(false) => {
                    let table = solver.exhausted(bound as usize);
                    let Ok(table) = table else { break };
                    lower = bound + 1;
                    proof = Lower::Exhausted(table);
                }
                Err(Stopped) => break,
            }
        }
    }
    let tree = solver.tree(solved);
    let stats = Stats {
        rectangles: solver.table.used,
        ..solver.stats
    };
    Found {
        lower,
        tree,
        upper: solved,
        proof,
        by_rank,
        by_fooling,
        stats,
    }
}

/// The search was told to stop.
#[derive(Clone, Copy, Debug)]
struct Stopped;

/// The party with fewer inputs first: its splits are fewer.
fn fewer_first(pair: Pair) -> [Party; 2] {
    if pair.rows.count_ones() <= pair.columns.count_ones() {
        Party::BOTH
    } else {
        [Party::Bob, Party::Alice]
    }
}

/// The search on one matrix.
struct Solver<'a> {
    matrix: &'a Matrix,
    stop: &'a AtomicBool,
    /// The reduced matrix that masks refer to; empty masks when it is too large.
    inputs: Rectangle,
    /// For each reduced row the columns of each colour.
    by_row: Vec<Vec<u64>>,
    by_column: Vec<Vec<u64>>,
    whole: Pair,
    table: Table,
    stats: Stats,
}

fn mask(size: usize) -> u64 {
    if size >= 64 {
        u64::MAX
    } else {
        (1 << size) - 1
    }
}

fn places(mask: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(mask), |rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|rest| *rest != 0)
        .map(|rest| rest.trailing_zeros() as usize)
}

impl<'a> Solver<'a> {
    fn new(matrix: &'a Matrix, stop: &'a AtomicBool) -> Self {
        let inputs = matrix.reduced();
        let colours = matrix.values().len();
        let (rows, columns) = (&inputs.rows, &inputs.columns);
        let fits = rows.len() <= MAX_SIDE && columns.len() <= MAX_SIDE;
        let masks = |own: &[usize], other: &[usize], colour: &dyn Fn(usize, usize) -> usize| {
            let mut all = vec![vec![0; colours]; own.len()];
            for (place, line) in own.iter().zip(&mut all) {
                for (bit, index) in other.iter().enumerate() {
                    line[colour(*place, *index)] |= 1 << bit;
                }
            }
            all
        };
        let (by_row, by_column) = if fits {
            (
                masks(rows, columns, &|row, column| matrix.colour(row, column)),
                masks(columns, rows, &|column, row| matrix.colour(row, column)),
            )
        } else {
            (Vec::new(), Vec::new())
        };
        let whole = Pair {
            rows: if fits { mask(rows.len()) } else { 0 },
            columns: if fits { mask(columns.len()) } else { 0 },
        };
        Self {
            matrix,
            stop,
            inputs,
            by_row,
            by_column,
            whole,
            table: Table::new(),
            stats: Stats::default(),
        }
    }

    fn searchable(&self) -> bool {
        self.whole.rows != 0
    }

    fn lines(&self, party: Party) -> &[Vec<u64>] {
        match party {
            Party::Alice => &self.by_row,
            Party::Bob => &self.by_column,
        }
    }

    /// One member of each class of inputs of a party that are equal on the rectangle.
    fn distinct(&self, pair: Pair, party: Party) -> u64 {
        let (lines, other) = (self.lines(party), pair.side(party.other()));
        let mut kept = 0;
        for place in places(pair.side(party)) {
            let line = &lines[place];
            let same = |other_line: usize| {
                line.iter()
                    .zip(&lines[other_line])
                    .all(|(a, b)| (a ^ b) & other == 0)
            };
            if !places(kept).any(same) {
                kept |= 1 << place;
            }
        }
        kept
    }

    /// The rectangle without repetitions.
    fn reduce(&self, mut pair: Pair) -> Pair {
        pair.rows = self.distinct(pair, Party::Alice);
        pair.columns = self.distinct(pair, Party::Bob);
        pair
    }

    fn rectangle(&self, pair: Pair) -> Rectangle {
        Rectangle {
            rows: places(pair.rows).map(|i| self.inputs.rows[i]).collect(),
            columns: places(pair.columns)
                .map(|j| self.inputs.columns[j])
                .collect(),
        }
    }

    /// Who names the own input when there is nothing better, and the bits of that with the answer of the other.
    fn trivial(&self, pair: Pair) -> (Party, u32) {
        if !self.searchable() {
            return self.trivial_of(&self.inputs);
        }
        let cost = |party| {
            let answers = self.lines(party);
            let other = pair.side(Party::other(party));
            let most = places(pair.side(party))
                .map(|i| answers[i].iter().filter(|mask| **mask & other != 0).count());
            bits(pair.side(party).count_ones() as usize) + bits(most.max().unwrap_or(1))
        };
        let costs = Party::BOTH.map(|party| (cost(party), party));
        let (cost, party) = costs[0].min(costs[1]);
        (party, cost)
    }

    /// The same for a matrix that is too large for masks.
    fn trivial_of(&self, inputs: &Rectangle) -> (Party, u32) {
        let most = |own: &[usize], other: &[usize], colour: &dyn Fn(usize, usize) -> usize| {
            let count = |i: &usize| {
                let seen: BTreeSet<usize> = other.iter().map(|j| colour(*i, *j)).collect();
                seen.len()
            };
            bits(own.len()) + bits(own.iter().map(count).max().unwrap_or(1))
        };
        let (rows, columns) = (&inputs.rows, &inputs.columns);
        let costs = [
            (
                most(rows, columns, &|i, j| self.matrix.colour(i, j)),
                Party::Alice,
            ),
            (
                most(columns, rows, &|j, i| self.matrix.colour(i, j)),
                Party::Bob,
            ),
        ];
        let (cost, party) = costs[0].min(costs[1]);
        (party, cost)
    }

    /// More than 2^bound leaves by rank; `pair` is reduced.
    fn ranked(&self, pair: Pair, bound: u8) -> bool {
        let Some(most) = 1_usize.checked_shl(u32::from(bound)) else {
            return false;
        };
        let side = pair.rows.count_ones().min(pair.columns.count_ones()) as usize;
        let colours = self.matrix.values().len();
        if side * colours <= most {
            return false;
        }
        let rectangle = self.rectangle(pair);
        let mut leaves = 0;
        (0..colours).any(|colour| {
            leaves += pivots(self.matrix, &rectangle, colour).0.len();
            leaves > most
        })
    }

    /// Whether `bound` bits decide the rectangle.
    fn solve(&mut self, pair: Pair, bound: u8) -> Result<bool, Stopped> {
        let pair = self.reduce(pair);
        if pair.rows.is_power_of_two() && pair.columns.is_power_of_two() {
            return Ok(true);
        }
        let known = self.table.get(pair);
        if known.lower > bound {
            return Ok(false);
        }
        if known.upper.is_some_and(|upper| upper <= bound) {
            return Ok(true);
        }
        let (_, most) = self.trivial(pair);
        if most <= u32::from(bound) {
            return Ok(true);
        }
        if bound == 0 || self.ranked(pair, bound) {
            self.table.set(
                pair,
                Known {
                    lower: bound + 1,
                    ..known
                },
            );
            return Ok(false);
        }
        for party in fewer_first(pair) {
            let mut edges = Vec::new();
            if let Some(part) = self.split(pair, party, bound - 1, &mut edges)? {
                let known = self.table.get(pair);
                let split = Some((party, part));
                self.table.set(
                    pair,
                    Known {
                        upper: Some(bound),
                        split,
                        ..known
                    },
                );
                return Ok(true);
            }
        }
        let known = self.table.get(pair);
        self.table.set(
            pair,
            Known {
                lower: bound + 1,
                ..known
            },
        );
        Ok(false)
    }

    /// A part of the inputs of a party, such that it and the rest are decided in `bound` bits; `None` when there is
    /// none, and then every split has a part that holds one of `edges`.
    fn split(
        &mut self,
        pair: Pair,
        party: Party,
        bound: u8,
        edges: &mut Vec<u64>,
    ) -> Result<Option<u64>, Stopped> {
        let elements: Vec<u64> = places(pair.side(party)).map(|place| 1 << place).collect();
        let Some((first, rest)) = elements.split_first() else {
            return Ok(None);
        };
        if self.too_hard(pair, party, *first, bound, edges)? {
            return Ok(None);
        }
        self.extend(pair, party, bound, rest, &mut [*first, 0], edges)
    }

    fn extend(
        &mut self,
        pair: Pair,
        party: Party,
        bound: u8,
        left: &[u64],
        parts: &mut [u64; 2],
        edges: &mut Vec<u64>,
    ) -> Result<Option<u64>, Stopped> {
        let Some((next, rest)) = left.split_first() else {
            return Ok((parts[1] != 0).then_some(parts[0]));
        };
        for side in 0..2 {
            // The last element must make both parts non-empty.
            let part = parts[side] | next;
            if self.too_hard(pair, party, part, bound, edges)? {
                continue;
            }
            let before = std::mem::replace(&mut parts[side], part);
            let found = self.extend(pair, party, bound, rest, parts, edges)?;
            if found.is_some() {
                return Ok(found);
            }
            parts[side] = before;
        }
        Ok(None)
    }

    fn too_hard(
        &mut self,
        pair: Pair,
        party: Party,
        part: u64,
        bound: u8,
        edges: &mut Vec<u64>,
    ) -> Result<bool, Stopped> {
        if edges.iter().any(|edge| edge & !part == 0) {
            return Ok(true);
        }
        self.stats.parts += 1;
        if self.stats.parts.is_multiple_of(1024) && self.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        let hard = !self.solve(pair.with(party, part), bound)?;
        if hard {
            // The fewer elements an edge has, the more it forbids.
            let mut least = part;
            for place in places(part) {
                let fewer = least & !(1 << place);
                if fewer != 0 && !self.solve(pair.with(party, fewer), bound)? {
                    least = fewer;
                }
            }
            edges.push(least);
        }
        Ok(hard)
    }

    /// The table that shows that `bits` bits do not decide the whole matrix.
    fn exhausted(&mut self, bits: usize) -> Result<Exhausted, Stopped> {
        let mut levels: Vec<BTreeSet<Pair>> = vec![BTreeSet::new(); bits];
        let mut above = vec![self.whole];
        for level in (0..bits).rev() {
            let bound = u8::try_from(level).unwrap_or(u8::MAX);
            for pair in above {
                if self.ranked(pair, bound + 1) {
                    continue;
                }
                for party in Party::BOTH {
                    let mut edges = Vec::new();
                    // A party with one input has no split.
                    if pair.side(party).is_power_of_two() {
                        continue;
                    }
                    self.split(pair, party, bound, &mut edges)?;
                    for edge in edges {
                        let hard = self.reduce(pair.with(party, edge));
                        if !self.ranked(hard, bound) {
                            levels[level].insert(hard);
                        }
                    }
                }
            }
            above = levels[level].iter().copied().collect();
        }
        let levels = levels
            .into_iter()
            .map(|pairs| pairs.into_iter().map(|pair| self.rectangle(pair)).collect())
            .collect();
        Ok(Exhausted { levels })
    }

    /// The tree of a depth that is known to be enough, on all inputs.
    fn tree(&self, bound: u32) -> Tree {
        let mut tree = Tree { nodes: Vec::new() };
        if self.searchable() {
            self.grow(self.whole, bound, &mut tree);
        } else {
            let speaker = self.trivial_of(&self.inputs).0;
            name_inputs(self.matrix, &self.inputs, speaker, &mut tree);
        }
        for party in Party::BOTH {
            let classes = match party {
                Party::Alice => self.matrix.row_classes(),
                Party::Bob => self.matrix.transposed().row_classes(),
            };
            for node in &mut tree.nodes {
                if let Node::Bit { speaker, ones, .. } = node
                    && *speaker == party
                {
                    *ones = (0..classes.len())
                        .filter(|input| ones.binary_search(&classes[*input]).is_ok())
                        .collect();
                }
            }
        }
        tree
    }

    /// Adds the subtree of a rectangle of the reduced matrix; gives its root.
    fn grow(&self, pair: Pair, bound: u32, tree: &mut Tree) -> usize {
        let local = self.reduce(pair);
        let known = self.table.get(local);
        let split = known
            .split
            .filter(|_| known.upper.is_some_and(|upper| u32::from(upper) <= bound));
        let Some((speaker, part)) = split else {
            return name_inputs(
                self.matrix,
                &self.rectangle(pair),
                self.trivial(local).0,
                tree,
            );
        };
        let place = tree.nodes.len();
        tree.nodes.push(Node::Leaf(0));
        // Inputs that are equal on the rectangle say the same.
        let (lines, other) = (self.lines(speaker), pair.side(speaker.other()));
        let equal = |a: usize, b: usize| {
            lines[a]
                .iter()
                .zip(&lines[b])
                .all(|(a, b)| (a ^ b) & other == 0)
        };
        let zeros = places(pair.side(speaker))
            .filter(|input| places(part).any(|member| equal(*input, member)))
            .fold(0, |mask, input| mask | 1 << input);
        let parts = [zeros, pair.side(speaker) & !zeros];
        let next = parts.map(|part| self.grow(pair.with(speaker, part), bound - 1, tree));
        let ones = self.rectangle(pair.with(speaker, parts[1]));
        let ones = match speaker {
            Party::Alice => ones.rows,
            Party::Bob => ones.columns,
        };
        tree.nodes[place] = Node::Bit {
            speaker,
            ones,
            next,
        };
        place
    }
}

/// Adds the tree in which `speaker` tells its different inputs apart by halves, and then the other one the values; gives its
/// root.
fn name_inputs(matrix: &Matrix, inputs: &Rectangle, speaker: Party, tree: &mut Tree) -> usize {
    let (own, other) = match speaker {
        Party::Alice => (&inputs.rows, &inputs.columns),
        Party::Bob => (&inputs.columns, &inputs.rows),
    };
    let at = |own: usize, other: usize| match speaker {
        Party::Alice => matrix.at(own, other),
        Party::Bob => matrix.at(other, own),
    };
    let line = |input: usize| -> Vec<u64> { other.iter().map(|j| at(input, *j)).collect() };
    let mut groups: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
    for input in own {
        groups.entry(line(*input)).or_default().push(*input);
    }
    let groups: Vec<Vec<usize>> = groups.into_values().collect();
    halve(&groups, speaker, tree, &|group, tree| {
        let mut values: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for j in other {
            values.entry(at(group[0], *j)).or_default().push(*j);
        }
        let names: Vec<u64> = values.keys().copied().collect();
        let values: Vec<Vec<usize>> = values.into_values().collect();
        halve(&values, speaker.other(), tree, &|inputs, tree| {
            let value = names[values.iter().position(|group| group == inputs).unwrap_or(0)];
            tree.nodes.push(Node::Leaf(value));
            tree.nodes.len() - 1
        })
    })
}

/// Adds a balanced tree over groups of inputs of one party; what follows below each group is `leaf`.
fn halve(
    groups: &[Vec<usize>],
    speaker: Party,
    tree: &mut Tree,
    leaf: &dyn Fn(&[usize], &mut Tree) -> usize,
) -> usize {
    if let [group] = groups {
        return leaf(group, tree);
    }
    let place = tree.nodes.len();
    tree.nodes.push(Node::Leaf(0));
    let parts = groups.split_at(groups.len().div_ceil(2));
    let mut ones = parts.1.concat();
    ones.sort_unstable();
    let next = [parts.0, parts.1].map(|part| halve(part, speaker, tree, leaf));
    tree.nodes[place] = Node::Bit {
        speaker,
        ones,
        next,
    };
    place
}

/// Most entries of one value whose largest fooling set is looked for.
const MAX_ENTRIES: usize = 4_096;

/// Steps after which the largest fooling set found so far is taken.
const STEPS: usize = 20_000;

/// A large fooling set for each value: the largest, when a bounded search ends.
pub fn fooling_set(matrix: &Matrix) -> FoolingSet {
    let inputs = matrix.reduced();
    let sets = (0..matrix.values().len()).map(|colour| {
        let cells: Vec<(usize, usize)> = inputs
            .rows
            .iter()
            .flat_map(|row| inputs.columns.iter().map(move |column| (*row, *column)))
            .filter(|(row, column)| matrix.colour(*row, *column) == colour)
            .collect();
        let mut set = largest(&cells, |a, b| FoolingSet::apart(matrix, colour, a, b));
        set.sort_unstable();
        set
    });
    FoolingSet(sets.collect())
}

/// A large set of entries that are pairwise apart.
fn largest(
    cells: &[(usize, usize)],
    apart: impl Fn((usize, usize), (usize, usize)) -> bool,
) -> Vec<(usize, usize)> {
    if cells.len() > MAX_ENTRIES {
        let mut set: Vec<(usize, usize)> = Vec::new();
        for cell in cells {
            if set.iter().all(|other| apart(*other, *cell)) {
                set.push(*cell);
            }
        }
        return set;
    }
    let edge = |a: usize, b: usize| Ok::<bool, std::convert::Infallible>(apart(cells[a], cells[b]));
    let Ok(graph) = Graph::new(cells.len(), edge);
    let clique = graph.largest_clique(STEPS);
    clique.into_iter().map(|place| cells[place]).collect()
}

/// Trees of all 0/1 matrices of a small size, with a proof of each depth.
#[derive(Debug)]
pub struct Small {
    rows: usize,
    columns: usize,
    depths: Depths,
}

impl Small {
    /// All matrices of up to `rows` rows and `columns` columns; `None` for more than 16 entries.
    pub fn new(rows: usize, columns: usize) -> Option<Self> {
        let depths = Depths::new(rows, columns).filter(|_| rows * columns <= 16)?;
        Some(Self {
            rows,
            columns,
            depths,
        })
    }

    /// The matrix with this number.
    pub fn matrix(&self, word: usize) -> Option<Matrix> {
        let entry = |i: usize, j: usize| (word >> (i * self.columns + j) & 1) as u64;
        Matrix::of(self.rows, self.columns, entry)
    }

    /// D of the matrix with this number.
    pub fn depth(&self, word: usize) -> u8 {
        self.depths.depth(self.rows, self.columns, word)
    }

    /// The tree of the matrix with this number, of depth [`Small::depth`].
    pub fn tree(&self, word: usize) -> Tree {
        let depth = usize::from(self.depth(word));
        let mut tree = Tree {
            nodes: Vec::with_capacity((2 << depth) - 1),
        };
        let all = [(1 << self.rows) - 1, (1 << self.columns) - 1];
        self.grow(word, all, &mut tree);
        tree
    }

    /// Adds the tree of the part of the whole matrix with these rows and columns (masks), whose own number is `word`.
    fn grow(&self, word: usize, [rows, columns]: [usize; 2], tree: &mut Tree) -> usize {
        let (r, c) = (rows.count_ones() as usize, columns.count_ones() as usize);
        let place = tree.nodes.len();
        tree.nodes.push(Node::Leaf((word & 1) as u64));
        let Some(below) = self.depths.depth(r, c, word).checked_sub(1) else {
            return place;
        };
        let by_rows = splits(r).map(|part| (Party::Alice, part));
        let by_columns = splits(c).map(|part| (Party::Bob, part));
        let found = by_rows.chain(by_columns).find_map(|(speaker, part)| {
            let size = if speaker == Party::Alice { r } else { c };
            let parts = [part, !part & ((1 << size) - 1)];
            let words = parts.map(|part| match speaker {
                Party::Alice => keep_rows(word, part, r, c),
                Party::Bob => keep_columns(word, part, r, c),
            });
            let good = |number: usize| {
                let kept = parts[number].count_ones() as usize;
                let (r, c) = if speaker == Party::Alice {
                    (kept, c)
                } else {
                    (r, kept)
                };
                self.depths.depth(r, c, words[number]) <= below
            };
            (good(0) && good(1)).then_some((speaker, parts, words))
        });
        let Some((speaker, parts, words)) = found else {
            return place;
        };
        let own = if speaker == Party::Alice {
            rows
        } else {
            columns
        };
        let masks = parts.map(|part| spread(part, own));
        let next = [0, 1].map(|number| {
            let sides = match speaker {
                Party::Alice => [masks[number], columns],
                Party::Bob => [rows, masks[number]],
            };
            self.grow(words[number], sides, tree)
        });
        let ones = places(masks[1] as u64).collect();
        tree.nodes[place] = Node::Bit {
            speaker,
            ones,
            next,
        };
        place
    }

    /// A proof that fewer bits do not do: ranks where they are enough, else an exhausted table.
    pub fn lower(&self, matrix: &Matrix, word: usize) -> Lower {
        let depth = self.depth(word);
        let minors = Minors::of(matrix);
        if bits(minors.leaves()) >= u32::from(depth) {
            Lower::Minors(minors)
        } else {
            // Of so few entries ranks of parts explain every rectangle below.
            let levels = vec![Vec::new(); usize::from(depth) - 1];
            Lower::Exhausted(Exhausted { levels })
        }
    }
}

/// The bits of `part`, put where `own` has ones.
fn spread(part: usize, own: usize) -> usize {
    places(own as u64)
        .enumerate()
        .filter(|(place, _)| part >> place & 1 == 1)
        .fold(0, |mask, (_, bit)| mask | 1 << bit)
}

/// A tree of the least depth with at most `rounds` rounds; `None` when there is none.
pub fn tree_of_rounds(matrix: &Matrix, known: &mut Rounds<'_>, rounds: usize) -> Option<Tree> {
    let starts = Party::BOTH.map(|party| known.start(party, rounds));
    let [alice, bob] = starts.map(|start| start.map(|start| (known.depth(start), start)));
    let (depth, start) = alice.into_iter().chain(bob).min()?;
    if depth == NEVER {
        return None;
    }
    let mut tree = Tree { nodes: Vec::new() };
    let classes = [matrix.row_classes(), matrix.transposed().row_classes()];
    grow_rounds(known, start, &classes, &mut tree);
    Some(tree)
}

fn grow_rounds(
    known: &mut Rounds<'_>,
    mut state: State,
    classes: &[Vec<usize>; 2],
    tree: &mut Tree,
) -> usize {
    let place = tree.nodes.len();
    if let Some(value) = known.value(&state) {
        tree.nodes.push(Node::Leaf(value));
        return place;
    }
    tree.nodes.push(Node::Leaf(0));
    let depth = known.depth(state);
    let part = loop {
        let found = state.parts().find(|part| {
            let parts = [*part, state.own() & !part];
            let deepest = parts.map(|part| known.depth(state.with(part)));
            deepest[0].max(deepest[1]).saturating_add(1) == depth
        });
        match (found, state.changed()) {
            (Some(part), _) => break part,
            (None, Some(next)) => state = next,
            (None, None) => return place,
        }
    };
    let parts = [part, state.own() & !part];
    let next = parts.map(|part| grow_rounds(known, state.with(part), classes, tree));
    let (kept, classes) = match state.speaker {
        Party::Alice => (&known.inputs().rows, &classes[0]),
        Party::Bob => (&known.inputs().columns, &classes[1]),
    };
    let says: BTreeSet<usize> = places(u64::from(parts[1])).map(|i| kept[i]).collect();
    let ones = (0..classes.len())
        .filter(|input| says.contains(&classes[*input]))
        .collect();
    tree.nodes[place] = Node::Bit {
        speaker: state.speaker,
        ones,
        next,
    };
    place
}
