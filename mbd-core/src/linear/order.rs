//! The order in which unknowns are eliminated: approximate minimum degree on the pattern of A + Aᵀ
//! (Amestoy, Davis, Duff 1996), for matrices of which part of the diagonal is zero.
//!
//! An equation without its own unknown, as every constraint is in a Newton matrix
//!
//! ```text
//! M  Gᵀ
//! G  0
//! ```
//!
//! gets a pivot on the diagonal only from what was eliminated before it. Minimum degree alone often
//! takes it first; the pivot is then sought in another row, and the order is worth nothing. So an
//! unknown with a zero on the diagonal waits until its neighbours with a diagonal are eliminated:
//! its pivot is then one of −G M⁻¹ Gᵀ, which is definite where M is and the rows are independent. It
//! waits for its own neighbours only, so that eliminating bodies and joints goes along the mechanism.

//!
//! Minimum degree takes leaves from everywhere before it comes to what they hang on, so that neighbours
//! in the tree of elimination are far apart in memory. What is found is therefore ordered anew: parts
//! of the tree small enough for a near cache one after another, each in the order it was found in,
//! which lets many leaves be under way at once, and above them the rest. Fill is the same for every
//! order that takes the tree from its leaves.

use super::pattern::Pattern;

const NONE: u32 = u32::MAX;

/// Unknowns of a part of the tree that is eliminated as a whole.
const PART: u32 = 1024;

/// Elimination order of a pattern's columns (and, with pivots on the diagonal, rows).
/// `has_diagonal` says of which the diagonal entry is not zero.
pub(super) fn minimum_degree(pattern: &Pattern, has_diagonal: &[bool]) -> Vec<u32> {
    let order = by_degree(pattern, has_diagonal);
    match pattern.columns() {
        Some((col_ptr, row_idx)) if order.len() > PART as usize => {
            by_parts(&order, col_ptr, row_idx)
        }
        _ => order,
    }
}

/// The order as minimum degree finds it.
pub(super) fn by_degree(pattern: &Pattern, has_diagonal: &[bool]) -> Vec<u32> {
    let n = pattern.size();
    match pattern.columns() {
        Some((col_ptr, row_idx)) if n > 0 => {
            let mut graph = Quotient::new(n, col_ptr, row_idx, has_diagonal);
            graph.eliminate();
            graph.order
        }
        _ => (0..n as u32).collect(),
    }
}

/// The same tree of elimination, part by part.
pub(super) fn by_parts(order: &[u32], col_ptr: &[u32], row_idx: &[u32]) -> Vec<u32> {
    let parents = tree(order, col_ptr, row_idx);
    let n = order.len();
    let mut size = vec![1u32; n];
    for place in 0..n {
        if parents[place] != NONE {
            size[parents[place] as usize] += size[place];
        }
    }
    // Children of each, the last in front; a parent comes after its children.
    let mut first = vec![NONE; n + 1];
    let mut next = vec![NONE; n];
    for place in 0..n {
        let parent = if parents[place] == NONE { n } else { parents[place] as usize };
        next[place] = std::mem::replace(&mut first[parent], place as u32);
    }
    // From the root, a parent before its children: read backwards, the order sought. What hangs on
    // the way down belongs to the part the way is in; a part ends where the way branches.
    let mut ordered = Vec::with_capacity(n);
    let mut ways = vec![n as u32];
    let mut hanging = Vec::new();
    let mut begin = 0;
    while let Some(place) = ways.pop() {
        if place as usize != n {
            ordered.push(place);
        }
        let others = ways.len();
        let mut child = first[place as usize];
        while child != NONE {
            let list = if size[child as usize] > PART { &mut ways } else { &mut hanging };
            list.push(child);
            child = next[child as usize];
        }
        while let Some(place) = hanging.pop() {
            ordered.push(place);
            let mut child = first[place as usize];
            while child != NONE {
                hanging.push(child);
                child = next[child as usize];
            }
        }
        if ways.len() != others + 1 || ordered.len() - begin >= PART as usize {
            ordered[begin..].sort_unstable_by(|a, b| b.cmp(a));
            begin = ordered.len();
        }
    }
    ordered[begin..].sort_unstable_by(|a, b| b.cmp(a));
    ordered.iter().rev().map(|&place| order[place as usize]).collect()
}

/// The tree of elimination by places in an order, of the pattern of A + Aᵀ with pivots on the
/// diagonal: of every place the first that its elimination changes (Liu 1986).
fn tree(order: &[u32], col_ptr: &[u32], row_idx: &[u32]) -> Vec<u32> {
    let n = order.len();
    let mut place_of = vec![0u32; n];
    for (place, &i) in order.iter().enumerate() {
        place_of[i as usize] = place as u32;
    }
    // Neighbours that come before each place.
    let mut start = vec![0u32; n + 1];
    let pairs = || {
        (0..n).flat_map(|j| {
            let column = col_ptr[j] as usize..col_ptr[j + 1] as usize;
            row_idx[column].iter().map(move |&i| (i as usize, j))
        })
    };
    let later = |(i, j): (usize, usize)| {
        let (a, b) = (place_of[i], place_of[j]);
        (a.max(b) as usize, a.min(b))
    };
    for (late, early) in pairs().map(later) {
        start[late + 1] += u32::from(early as usize != late);
    }
    for place in 0..n {
        start[place + 1] += start[place];
    }
    let mut at = start.clone();
    let mut before = vec![0u32; start[n] as usize];
    for (late, early) in pairs().map(later).filter(|&(late, early)| early as usize != late) {
        before[at[late] as usize] = early;
        at[late] += 1;
    }
    let mut parents = vec![NONE; n];
    let mut above = vec![NONE; n];
    for place in 0..n as u32 {
        let range = start[place as usize] as usize..start[place as usize + 1] as usize;
        for &early in &before[range] {
            // Up to the root, which gets this place as its parent, shortening the way.
            let mut i = early;
            while i != place {
                let up = std::mem::replace(&mut above[i as usize], place);
                if up == NONE {
                    parents[i as usize] = place;
                    break;
                }
                i = up;
            }
        }
    }
    parents
}

/// The graph of what is left: variables, which stand for one unknown or several alike, and
/// elements, the sets eliminated, known by the variables they have become neighbours of.
struct Quotient<'a> {
    /// Neighbours of variable i: `lists[start[i]..]`, first `elements[i]` elements, then variables,
    /// `length[i]` in all. Of element e: the variables in it.
    lists: Vec<u32>,
    start: Vec<usize>,
    length: Vec<u32>,
    elements: Vec<u32>,
    /// Unknowns of a variable; 0 when it has joined another or is eliminated.
    weight: Vec<u32>,
    /// Of an unknown without a diagonal: its neighbours with one that are left.
    waits: Vec<u32>,
    /// The neighbours of the unknowns with a diagonal that have none.
    waiting: Vec<u32>,
    waiting_start: Vec<u32>,
    /// Approximate number of neighbours of a variable; number of unknowns of an element.
    degree: Vec<u32>,
    /// Elements that have become part of another.
    absorbed: Vec<bool>,
    /// Variables by degree, doubly linked.
    buckets: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    listed: Vec<bool>,
    /// Unknowns of a variable, linked; the last of each list.
    member: Vec<u32>,
    last_member: Vec<u32>,
    has_diagonal: &'a [bool],
    /// What is left of each element beyond the current one, plus `stamp`.
    beyond: Vec<u64>,
    stamp: u64,
    mark: Vec<u64>,
    marks: u64,
    order: Vec<u32>,
    left: usize,
    /// Degree below which there is no variable.
    least: usize,
}

impl<'a> Quotient<'a> {
    fn new(n: usize, col_ptr: &[u32], row_idx: &[u32], has_diagonal: &'a [bool]) -> Self {
        let mut counts = vec![0u32; n];
        let entries = || {
            (0..n).flat_map(|j| {
                row_idx[col_ptr[j] as usize..col_ptr[j + 1] as usize]
                    .iter()
                    .map(move |&i| (i as usize, j))
            })
        };
        for (i, j) in entries() {
            if i != j {
                counts[i] += 1;
                counts[j] += 1;
            }
        }
        let mut start = Vec::with_capacity(n);
        let mut total = 0;
        for &count in &counts {
            start.push(total);
            total += count as usize;
        }
        let mut lists = vec![0u32; total];
        let mut length = vec![0u32; n];
        let mut put = |i: usize, j: usize| {
            lists[start[i] + length[i] as usize] = j as u32;
            length[i] += 1;
        };
        for (i, j) in entries().filter(|(i, j)| i != j) {
            put(i, j);
            put(j, i);
        }
        let mut graph = Quotient {
            lists,
            start,
            length,
            elements: vec![0; n],
            weight: vec![1; n],
            waits: vec![0; n],
            waiting: Vec::new(),
            waiting_start: Vec::with_capacity(n + 1),
            degree: vec![0; n],
            absorbed: vec![false; n],
            buckets: vec![NONE; n + 1],
            next: vec![NONE; n],
            previous: vec![NONE; n],
            listed: vec![false; n],
            member: vec![NONE; n],
            last_member: (0..n as u32).collect(),
            has_diagonal,
            beyond: vec![0; n],
            stamp: 1,
            mark: vec![0; n],
            marks: 0,
            order: Vec::with_capacity(n),
            left: n,
            least: 0,
        };
        for i in 0..n {
            graph.drop_repeated(i);
            graph.waiting_start.push(graph.waiting.len() as u32);
            if has_diagonal[i] {
                let near = &graph.lists[graph.start[i]..][..graph.length[i] as usize];
                for &j in near.iter().filter(|&&j| !has_diagonal[j as usize]) {
                    graph.waits[j as usize] += 1;
                    graph.waiting.push(j);
                }
            }
        }
        graph.waiting_start.push(graph.waiting.len() as u32);
        graph
    }

    /// Drops the second of (i, j) and (j, i) from a list of variables.
    fn drop_repeated(&mut self, i: usize) {
        self.marks += 1;
        let (from, length) = (self.start[i], self.length[i] as usize);
        let mut to = from;
        for at in from..from + length {
            let j = self.lists[at];
            if self.mark[j as usize] != self.marks {
                self.mark[j as usize] = self.marks;
                self.lists[to] = j;
                to += 1;
            }
        }
        self.length[i] = (to - from) as u32;
        self.degree[i] = self.length[i];
    }

    /// Whether a variable need not wait.
    fn ready(&self, i: usize) -> bool {
        let mut at = i as u32;
        while at != NONE {
            if self.waits[at as usize] > 0 {
                return false;
            }
            at = self.member[at as usize];
        }
        true
    }

    fn list(&mut self, i: usize) {
        let degree = self.degree[i] as usize;
        let head = self.buckets[degree];
        self.next[i] = head;
        self.previous[i] = NONE;
        if head != NONE {
            self.previous[head as usize] = i as u32;
        }
        self.buckets[degree] = i as u32;
        self.listed[i] = true;
        self.least = self.least.min(degree);
    }

    fn unlist(&mut self, i: usize) {
        if !std::mem::take(&mut self.listed[i]) {
            return;
        }
        let (next, previous) = (self.next[i], self.previous[i]);
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        match previous {
            NONE => self.buckets[self.degree[i] as usize] = next,
            _ => self.next[previous as usize] = next,
        }
    }

    fn eliminate(&mut self) {
        let n = self.weight.len();
        // Unknowns that nearly all equations read come last: they would be looked at every time.
        let dense = (10.0 * (n as f64).sqrt()).max(16.0);
        let (last, others): (Vec<usize>, Vec<usize>) =
            (0..n).partition(|&i| f64::from(self.degree[i]) > dense);
        for &i in &last {
            self.release(i);
            self.left -= 1;
            self.weight[i] = 0;
        }
        for &i in others.iter().rev() {
            if self.ready(i) {
                self.list(i);
            }
        }
        while let Some(pivot) = self.pop() {
            self.pivot(pivot);
        }
        self.order.extend(last.iter().map(|&i| i as u32));
    }

    fn pop(&mut self) -> Option<usize> {
        while self.least < self.buckets.len() {
            let i = self.buckets[self.least];
            if i != NONE {
                self.unlist(i as usize);
                return Some(i as usize);
            }
            self.least += 1;
        }
        None
    }

    /// Writes a variable's unknowns to the order.
    fn write(&mut self, i: usize) {
        let mut at = i as u32;
        while at != NONE {
            self.order.push(at);
            self.release(at as usize);
            at = self.member[at as usize];
        }
        self.left -= self.weight[i] as usize;
    }

    /// Tells those that wait for an unknown that they need not any more.
    fn release(&mut self, i: usize) {
        for k in self.waiting_start[i]..self.waiting_start[i + 1] {
            self.waits[self.waiting[k as usize] as usize] -= 1;
        }
    }

    /// Makes a variable an element.
    fn pivot(&mut self, p: usize) {
        self.write(p);
        let begin = self.neighbours(p);
        self.weight[p] = 0;
        let size = self.lists.len() - begin;
        let inside: u32 = self.lists[begin..].iter().map(|&i| self.weight[i as usize]).sum();
        // What each element near by has beyond this one.
        self.stamp += self.weight.len() as u64 + 1;
        for at in begin..begin + size {
            let i = self.lists[at] as usize;
            for k in 0..self.elements[i] as usize {
                let e = self.lists[self.start[i] + k] as usize;
                if self.absorbed[e] {
                    continue;
                }
                if self.beyond[e] < self.stamp {
                    self.beyond[e] = self.stamp + u64::from(self.degree[e]);
                }
                self.beyond[e] -= u64::from(self.weight[i]);
            }
        }
        // Elements that have nothing beyond it become part of it.
        for at in begin..begin + size {
            let i = self.lists[at] as usize;
            for k in 0..self.elements[i] as usize {
                let e = self.lists[self.start[i] + k] as usize;
                if !self.absorbed[e] && self.beyond[e] == self.stamp {
                    self.absorbed[e] = true;
                }
            }
        }
        let mut alike: Vec<(u64, u32)> = Vec::with_capacity(size);
        for at in begin..begin + size {
            let i = self.lists[at] as usize;
            self.unlist(i);
            let hash = self.update(i, p, inside);
            alike.push((hash, i as u32));
        }
        self.join(&mut alike);
        // What has no neighbours but this element is eliminated with it, the rest is listed.
        let mut to = begin;
        let mut degree = 0;
        for at in begin..begin + size {
            let i = self.lists[at] as usize;
            if self.weight[i] == 0 {
                continue;
            }
            if self.length[i] == 1 && self.ready(i) {
                self.write(i);
                self.weight[i] = 0;
                continue;
            }
            degree += self.weight[i];
            self.lists[to] = i as u32;
            to += 1;
        }
        self.lists.truncate(to);
        self.start[p] = begin;
        self.length[p] = (to - begin) as u32;
        self.degree[p] = degree;
        for at in begin..to {
            let i = self.lists[at] as usize;
            // What went with the pivot is no neighbour any more.
            let most = (self.left - self.weight[i] as usize) as u32;
            self.degree[i] = self.degree[i].saturating_sub(inside - degree).min(most);
            if self.ready(i) {
                self.list(i);
            }
        }
    }

    /// Appends the variables next to p, directly or through its elements, to the lists; returns
    /// where they begin.
    fn neighbours(&mut self, p: usize) -> usize {
        let begin = self.lists.len();
        self.marks += 1;
        self.mark[p] = self.marks;
        let (start, elements) = (self.start[p], self.elements[p] as usize);
        for k in 0..self.length[p] as usize {
            let near = self.lists[start + k] as usize;
            if k >= elements {
                self.collect(near);
            } else if !self.absorbed[near] {
                for at in self.start[near]..self.start[near] + self.length[near] as usize {
                    self.collect(self.lists[at] as usize);
                }
                self.absorbed[near] = true;
            }
        }
        begin
    }

    fn collect(&mut self, i: usize) {
        if self.weight[i] > 0 && self.mark[i] != self.marks {
            self.mark[i] = self.marks;
            self.lists.push(i as u32);
        }
    }

    /// Puts the new element in place of what it makes superfluous among a variable's neighbours,
    /// and estimates its degree; returns a hash of them.
    fn update(&mut self, i: usize, p: usize, inside: u32) -> u64 {
        let (start, elements) = (self.start[i], self.elements[i] as usize);
        let end = start + self.length[i] as usize;
        let others = inside - self.weight[i];
        let (mut hash, mut degree) = (p as u64, u64::from(others));
        // The new element comes first; something next to the pivot made room for it.
        let mut kept = Vec::with_capacity(end - start + 1);
        kept.push(p as u32);
        for &e in &self.lists[start..start + elements] {
            if !self.absorbed[e as usize] {
                degree += self.beyond[e as usize] - self.stamp;
                hash += u64::from(e);
                kept.push(e);
            }
        }
        self.elements[i] = kept.len() as u32;
        for &j in &self.lists[start + elements..end] {
            // Variables in the new element are neighbours through it.
            if self.weight[j as usize] > 0 && self.mark[j as usize] != self.marks {
                degree += u64::from(self.weight[j as usize]);
                hash += u64::from(j);
                kept.push(j);
            }
        }
        self.length[i] = kept.len() as u32;
        self.lists[start..start + kept.len()].copy_from_slice(&kept);
        let bound = u64::from(self.degree[i]) + u64::from(others);
        self.degree[i] = degree.min(bound).min(self.left as u64) as u32;
        hash
    }

    /// Makes one variable of those with the same neighbours.
    fn join(&mut self, alike: &mut [(u64, u32)]) {
        alike.sort_unstable();
        for group in alike.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            for (k, &(_, i)) in group.iter().enumerate() {
                let i = i as usize;
                if self.weight[i] == 0 {
                    continue;
                }
                self.marks += 1;
                let range = self.start[i]..self.start[i] + self.length[i] as usize;
                for at in range {
                    self.mark[self.lists[at] as usize] = self.marks;
                }
                for &(_, j) in &group[k + 1..] {
                    let j = j as usize;
                    // Together they would wait for as long as the last of them.
                    let same = self.weight[j] > 0
                        && self.has_diagonal[j] == self.has_diagonal[i]
                        && self.waits[j] == self.waits[i]
                        && self.length[j] == self.length[i]
                        && self.elements[j] == self.elements[i]
                        && self.lists[self.start[j]..][..self.length[j] as usize]
                            .iter()
                            .all(|&x| self.mark[x as usize] == self.marks);
                    if same {
                        self.degree[i] = self.degree[i].saturating_sub(self.weight[j]);
                        self.weight[i] += std::mem::take(&mut self.weight[j]);
                        self.member[self.last_member[i] as usize] = j as u32;
                        self.last_member[i] = self.last_member[j];
                    }
                }
            }
        }
    }
}
