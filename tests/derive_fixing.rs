//! The whole chain of fixings (Lemmas 1 to 6) on random protocols at L = 2 and 3, by enumeration: after every step the invariant must hold,
//! whatever the protocol does; and controls in which it must fail for some protocol.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;

/// Sizes of a small game: D0, ranges `m_1..m_L`, queries `n_1..n_{L-1}`, and `a_0..a_r`.
#[derive(Clone)]
struct Shape {
    start: usize,
    ranges: Vec<usize>,
    queries: Vec<usize>,
    passes: Vec<usize>,
}

/// A protocol: every symbol is a pseudo-random function of what its sender may see.
struct Random {
    shape: Shape,
    seed: u64,
    symbols: u64,
    /// False: carries see all groups to their left, which the model forbids.
    chain: bool,
}

/// Everything that happened in one run. Groups are L, .., 1, 0, -1 by place 0, .., L + 1.
struct Run {
    /// `states[e][g]`: all that group g knows after epoch e.
    states: Vec<Vec<Vec<u64>>>,
    /// `digests[e - 1][from][to]`.
    digests: Vec<Vec<Vec<u64>>>,
    /// `carries[e][pass][from]`.
    carries: Vec<Vec<Vec<u64>>>,
}

fn mix(parts: impl Iterator<Item = u64>, seed: u64) -> u64 {
    parts.fold(seed ^ 0x9e37_79b9_7f4a_7c15, |h, x| {
        let h = (h ^ x).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let h = (h ^ (h >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ (h >> 29)
    })
}

impl Random {
    fn steps(&self) -> usize {
        self.shape.ranges.len()
    }

    fn symbol(&self, tag: [u64; 4], seen: &[&[u64]]) -> u64 {
        // most slots say nothing, so that classes stay large
        if !mix(tag.into_iter(), self.seed).is_multiple_of(self.steps() as u64) {
            return 0;
        }
        let all = seen
            .iter()
            .flat_map(|part| part.iter().copied().chain([u64::MAX]));
        mix(tag.into_iter().chain(all), self.seed) % self.symbols
    }

    /// `z[0] = z_L, .., z[L-1] = z_1`, then z_0 and w.
    fn run(&self, input: &[u64]) -> Run {
        let mut states: Vec<Vec<u64>> = input.iter().map(|z| vec![*z]).collect();
        let groups = states.len();
        let mut run = Run {
            states: Vec::new(),
            digests: Vec::new(),
            carries: Vec::new(),
        };
        for (e, passes) in self.shape.passes.iter().enumerate() {
            if e > 0 {
                let before = states.clone();
                let mut round = vec![vec![0; groups]; groups];
                for to in 0..groups {
                    for from in 0..to {
                        let tag = [1, e as u64, from as u64, to as u64];
                        round[from][to] = self.symbol(tag, &[&before[from], &before[to]]);
                        states[to].push(round[from][to]);
                    }
                }
                run.digests.push(round);
            }
            let mut record = Vec::new();
            for pass in 0..*passes {
                let before = states.clone();
                let mut carry: Vec<u64> = Vec::new();
                let mut sent = vec![0; groups];
                for from in 0..groups - 1 {
                    let all = before[..=from].concat();
                    let sight = if self.chain { &before[from] } else { &all };
                    let tag = [2, e as u64, pass as u64, from as u64];
                    sent[from] = self.symbol(tag, &[&carry, sight]);
                    carry = vec![sent[from]];
                    states[from + 1].push(sent[from]);
                }
                record.push(sent);
            }
            run.carries.push(record);
            run.states.push(states.clone());
        }
        run
    }

    /// How many tables z_l has.
    fn tables(&self, l: usize) -> u64 {
        let shape = &self.shape;
        let entries = if l == 1 {
            shape.start
        } else {
            shape.queries[l - 2] * shape.ranges[l - 2]
        };
        (shape.ranges[l - 1] as u64).pow(u32::try_from(entries).unwrap())
    }
}

/// All vectors `(z_L, .., z_l)`.
fn vectors(protocol: &Random, l: usize) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for j in (l..=protocol.steps()).rev() {
        all = all
            .iter()
            .flat_map(|z| (0..protocol.tables(j)).map(|x| [z.clone(), vec![x]].concat()))
            .collect();
    }
    all
}

/// The largest class by a key; of equal ones the first key.
fn largest_class(all: &[Vec<u64>], key: impl Fn(&[u64]) -> Vec<u64>) -> Vec<Vec<u64>> {
    let mut classes: BTreeMap<Vec<u64>, Vec<Vec<u64>>> = BTreeMap::new();
    for z in all {
        classes.entry(key(z)).or_default().push(z.clone());
    }
    let most = classes.values().map(Vec::len).max().unwrap_or(0);
    classes
        .into_values()
        .find(|class| class.len() == most)
        .unwrap_or_default()
}

/// One chain of fixings.
struct Chain<'a> {
    protocol: &'a Random,
    /// `Z_0 .. `, the lists fixed so far.
    lists: Vec<Vec<u64>>,
    /// Left out on purpose: the multiplicity x_1 of token z_0 in Lemma 4.
    forget_list: bool,
    /// The fewest `z_{>l}` among which an invariant was checked; below 2 it says nothing.
    least: usize,
}

impl Chain<'_> {
    fn steps(&self) -> usize {
        self.protocol.steps()
    }

    fn queries(&self) -> u64 {
        self.protocol.shape.queries.iter().product::<usize>() as u64
    }

    /// All choices of `(z_l, .., z_i)` from the lists, i at least 0.
    fn choices(&self, l: usize, i: usize) -> Vec<Vec<u64>> {
        let mut all = vec![Vec::new()];
        for j in (i..=l).rev() {
            all = all
                .iter()
                .flat_map(|z| self.lists[j].iter().map(|x| [z.clone(), vec![*x]].concat()))
                .collect();
        }
        all
    }

    /// A full input: `z_{>l}`, then choices from z_l on, the rest filled with the first of the lists and w = 0.
    fn input(&self, left: &[u64], chosen: &[u64], w: u64) -> Vec<u64> {
        let mut input = [left, chosen].concat();
        while input.len() < self.steps() + 1 {
            let l = self.steps() - input.len();
            input.push(self.lists[l][0]);
        }
        input.push(w);
        input
    }

    fn place(&self, i: i64) -> usize {
        usize::try_from(i64::try_from(self.steps()).unwrap() - i).unwrap()
    }

    /// Digests across cut l+1 to group i in epoch e.
    fn across(&self, run: &Run, l: usize, i: i64, e: usize) -> Vec<u64> {
        let to = self.place(i);
        (0..self.steps() - l)
            .map(|from| run.digests[e - 1][from][to])
            .collect()
    }

    /// M of Lemma 2 for one `z_{>l}`: epochs up to `after`, the last of them under option q (`None`: all of it).
    fn fixed(&self, left: &[u64], l: usize, after: usize, q: Option<i64>) -> Vec<u64> {
        let (protocol, mut key) = (self.protocol, Vec::new());
        let last = i64::try_from(self.steps()).unwrap();
        let below = q.unwrap_or(last);
        for z in &self.lists[l] {
            let run = protocol.run(&self.input(left, &[*z], 0));
            let own = i64::try_from(l).unwrap();
            let most = if own < below { after } else { after - 1 };
            for e in 1..=most {
                key.extend(self.across(&run, l, own, e));
            }
        }
        for i in (0..l).filter(|i| i64::try_from(*i).unwrap() < below) {
            for chosen in self.choices(l - 1, i) {
                let run =
                    protocol.run(&self.input(left, &[vec![self.lists[l][0]], chosen].concat(), 0));
                key.extend(self.across(&run, l, i64::try_from(i).unwrap(), after));
            }
        }
        let early = after == 1 && protocol.shape.passes[0] == 0;
        let to_w = if early {
            vec![Vec::new()]
        } else {
            self.choices(l - 1, 0)
        };
        for chosen in to_w {
            for w in 0..self.queries() {
                let run = protocol.run(&self.input(
                    left,
                    &[vec![self.lists[l][0]], chosen.clone()].concat(),
                    w,
                ));
                key.extend(self.across(&run, l, -1, after));
            }
        }
        let run = protocol.run(&self.input(left, &[], 0));
        let cut = self.place(i64::try_from(l + 1).unwrap());
        let most = if q.is_some() { after } else { after + 1 };
        for passes in &run.carries[..most] {
            key.extend(passes.iter().map(|sent| sent[cut]));
        }
        key.extend(q.map_or(Vec::new(), |q| self.carries_at(left, l, after, q)));
        key
    }

    /// Lemma 6: the carries of the last epoch across the cut right of G_q, for every choice that they may depend on.
    fn carries_at(&self, left: &[u64], l: usize, e: usize, q: i64) -> Vec<u64> {
        let Ok(q) = usize::try_from(q) else {
            return Vec::new();
        };
        let chosen = if q > l {
            vec![Vec::new()]
        } else {
            self.choices(l, q)
        };
        let from = self.place(i64::try_from(q).unwrap());
        let runs = chosen
            .iter()
            .map(|z| self.protocol.run(&self.input(left, z, 0)));
        runs.flat_map(|run| {
            run.carries[e]
                .iter()
                .map(|sent| sent[from])
                .collect::<Vec<_>>()
        })
        .collect()
    }

    /// Inv(l+1, e) on `kept`: states of groups i at most l depend on the lists only; with `only_w` just the final state of w.
    fn holds(&mut self, kept: &[Vec<u64>], l: usize, e: usize, only_w: bool) -> bool {
        self.least = self.least.min(kept.len());
        self.choices(l, 0).iter().all(|chosen| {
            (0..self.queries()).all(|w| {
                let ends: Vec<Vec<Vec<u64>>> = kept
                    .iter()
                    .map(|left| {
                        let run = self.protocol.run(&self.input(left, chosen, w));
                        let from = if only_w {
                            self.steps() + 1
                        } else {
                            self.steps() - l
                        };
                        run.states[e][from..].to_vec()
                    })
                    .collect();
                ends.windows(2).all(|pair| pair[0] == pair[1])
            })
        })
    }

    /// Lemma 3 without its numbers: two tables z_l, and those `z_{>l}` that go with both.
    fn rectangle(&mut self, kept: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let mut sections: BTreeMap<u64, Vec<Vec<u64>>> = BTreeMap::new();
        for z in kept {
            let (last, left) = z.split_last().unwrap();
            sections.entry(*last).or_default().push(left.to_vec());
        }
        let pairs = sections
            .keys()
            .flat_map(|a| sections.keys().map(move |b| (*a, *b)));
        let both = |a: u64, b: u64| {
            let other = &sections[&b];
            sections[&a]
                .iter()
                .filter(|left| other.contains(left))
                .cloned()
                .collect::<Vec<_>>()
        };
        let best = pairs
            .filter(|(a, b)| a < b)
            .max_by_key(|(a, b)| (both(*a, *b).len(), u64::MAX - a, u64::MAX - b));
        let (list, set) = match best {
            Some((a, b)) if !both(a, b).is_empty() => (vec![a, b], both(a, b)),
            _ => {
                let (a, set) = sections.iter().max_by_key(|(_, set)| set.len()).unwrap();
                (vec![*a], set.clone())
            }
        };
        self.lists.push(list);
        set
    }

    /// Steps l, l+1, .., L-1 from the set `kept` of `(z_L, .., z_l)` with Inv(l, e); true if every invariant holds.
    fn rest(&mut self, mut kept: Vec<Vec<u64>>, first: usize, mut e: usize) -> bool {
        for l in first..self.steps() {
            let set = self.rectangle(&kept);
            let last = l + 1 == self.steps();
            let after = e + 1;
            if last {
                for q in self.options() {
                    let end = largest_class(&set, |left| self.fixed(left, l, after, Some(q)));
                    if !self.holds(&end, l, after, true) {
                        return false;
                    }
                }
            }
            kept = largest_class(&set, |left| self.fixed(left, l, after, None));
            e = after;
            if !self.holds(&kept, l, e, false) {
                return false;
            }
        }
        true
    }

    fn options(&self) -> Vec<i64> {
        if *self.protocol.shape.passes.last().unwrap() == 0 {
            vec![-1]
        } else {
            (0..=i64::try_from(self.steps()).unwrap()).collect()
        }
    }
}

/// Whether every invariant held, and whether each was about at least two inputs.
struct Outcome {
    holds: bool,
    told: bool,
}

/// All hold, and a quarter of them are about something.
fn all_hold(outcomes: impl Iterator<Item = Outcome>, what: &[usize]) {
    let (mut count, mut told) = (0, 0);
    for outcome in outcomes {
        assert!(outcome.holds, "{what:?}");
        count += 1;
        told += usize::from(outcome.told);
    }
    assert!(
        4 * told >= count,
        "{what:?}: only {told} of {count} say something"
    );
}

fn chain(protocol: &Random, forget_list: bool) -> Chain<'_> {
    Chain {
        protocol,
        lists: vec![(0..protocol.shape.start as u64).collect()],
        forget_list,
        least: usize::MAX,
    }
}

/// Lemma 4', r = L - 1: fix the carries of epoch 0 across cut 1, then the steps.
fn short(protocol: &Random) -> Outcome {
    let mut chain = chain(protocol, false);
    let all = vectors(protocol, 1);
    let kept = largest_class(&all, |z| {
        let run = protocol.run(&[z, &[0, 0]].concat());
        let cut = chain.place(1);
        run.carries[0].iter().map(|sent| sent[cut]).collect()
    });
    let holds = chain.rest(kept, 1, 0);
    Outcome {
        holds,
        told: chain.least > 1,
    }
}

/// Lemma 4, r = L: popular digests of table 1 to w, then epochs 1 and 2 across cut 2, then the steps.
fn long(protocol: &Random, forget_list: bool) -> Outcome {
    let mut chain = chain(protocol, forget_list);
    let (steps, groups) = (protocol.steps(), protocol.steps() + 2);
    let tables: Vec<Vec<u64>> = (0..protocol.tables(1)).map(|z| vec![z]).collect();
    let zeros = vec![0; steps - 1];
    let popular = largest_class(&tables, |z1| {
        let to_w = |w: u64| {
            protocol.run(&[&zeros[..], z1, &[0, w]].concat()).digests[0][steps - 1][groups - 1]
        };
        (0..chain.queries()).map(to_w).collect()
    });
    chain
        .lists
        .push(popular.iter().take(2).map(|z| z[0]).collect());
    let all = vectors(protocol, 2);
    let one = [chain.lists[1][0]];
    let run = |left: &[u64], z1: u64, z0: u64, w: u64| protocol.run(&[left, &[z1, z0, w]].concat());
    let first = largest_class(&all, |left| {
        let mut key = Vec::new();
        for w in 0..chain.queries() {
            key.extend(chain.across(&run(left, one[0], 0, w), 1, -1, 1));
        }
        for z0 in &chain.lists[0] {
            key.extend(chain.across(&run(left, one[0], *z0, 0), 1, 0, 1));
        }
        for z1 in &chain.lists[1] {
            key.extend(chain.across(&run(left, *z1, 0, 0), 1, 1, 1));
        }
        key
    });
    let epoch_2 = |chain: &Chain<'_>, left: &[u64], q: Option<i64>| {
        let below = q.unwrap_or(9);
        let mut key = Vec::new();
        for z0 in &chain.lists[0] {
            for w in 0..chain.queries() {
                key.extend(chain.across(&run(left, one[0], *z0, w), 1, -1, 2));
            }
            let lists = if chain.forget_list {
                &one[..]
            } else {
                &chain.lists[1][..]
            };
            for z1 in lists.iter().filter(|_| below > 0) {
                key.extend(chain.across(&run(left, *z1, *z0, 0), 1, 0, 2));
            }
        }
        for z1 in chain.lists[1].iter().filter(|_| below > 1) {
            key.extend(chain.across(&run(left, *z1, 0, 0), 1, 1, 2));
        }
        let cut = chain.place(2);
        let carries = &run(left, one[0], 0, 0).carries;
        let most = if q.is_some() { 2 } else { 3 };
        key.extend(carries[..most].iter().flatten().map(|sent| sent[cut]));
        key.extend(q.map_or(Vec::new(), |q| chain.carries_at(left, 1, 2, q)));
        key
    };
    if steps == 2 {
        for q in chain.options() {
            let end = largest_class(&first, |left| epoch_2(&chain, left, Some(q)));
            if !chain.holds(&end, 1, 2, true) {
                return Outcome {
                    holds: false,
                    told: true,
                };
            }
        }
    }
    let kept = largest_class(&first, |left| epoch_2(&chain, left, None));
    let holds = chain.holds(&kept, 1, 2, false) && chain.rest(kept, 2, 2);
    Outcome {
        holds,
        told: chain.least > 1,
    }
}

fn shape(steps: usize, passes: &[usize]) -> Shape {
    let (ranges, queries) = if steps == 2 {
        (vec![2, 4], vec![2])
    } else {
        (vec![2, 2, 3], vec![2, 2])
    };
    Shape {
        start: 2,
        ranges,
        queries,
        passes: passes.to_vec(),
    }
}

fn protocols(
    steps: usize,
    passes: &[usize],
    chain: bool,
    seeds: u64,
) -> impl Iterator<Item = Random> {
    let shape = shape(steps, passes);
    (0..seeds).map(move |seed| Random {
        shape: shape.clone(),
        seed,
        symbols: 2 + seed % 2,
        chain,
    })
}

#[test]
fn every_step_holds_for_two_steps() {
    for passes in [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]] {
        all_hold(
            protocols(2, &passes, true, 48).map(|protocol| short(&protocol)),
            &passes,
        );
    }
    for passes in [[0, 0, 0], [0, 0, 1], [0, 0, 2]] {
        all_hold(
            protocols(2, &passes, true, 48).map(|protocol| long(&protocol, false)),
            &passes,
        );
    }
}

#[test]
fn every_step_holds_for_three_steps() {
    for passes in [[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 2]] {
        all_hold(
            protocols(3, &passes, true, 12).map(|protocol| short(&protocol)),
            &passes,
        );
    }
    for passes in [[0, 0, 0, 0], [0, 0, 1, 1]] {
        all_hold(
            protocols(3, &passes, true, 12).map(|protocol| long(&protocol, false)),
            &passes,
        );
    }
}

#[test]
fn the_controls_fail_for_some_protocol() {
    // the ledger of a_1 = 0 where a_1 = 1
    assert!(protocols(2, &[0, 1, 0], true, 60).any(|protocol| !long(&protocol, false).holds));
    // without the multiplicity x_1 of token z_0
    assert!(protocols(2, &[0, 0, 1], true, 60).any(|protocol| !long(&protocol, true).holds));
    // carries that see all groups
    assert!(protocols(2, &[0, 0, 1], false, 60).any(|protocol| !long(&protocol, false).holds));
    assert!(protocols(3, &[0, 1, 1], false, 60).any(|protocol| !short(&protocol).holds));
}
