//! After the first call of its size, the solver of a phase does not allocate.
#![allow(unsafe_code, reason = "a global allocator is an unsafe trait; this one only counts and passes on")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use carom_law::{Dimension, Grip, PhaseContact, PhaseForces, Rows};
use common::bodies::{Body, gravity};

thread_local! {
    /// Calls of the allocator on this thread.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every method passes its arguments on to the system's allocator, which keeps the contract, and counting does
// not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_phase_allocates_once() {
    let body = Body::on_corners(1.0, [0.5, 0.4, 0.3], 3);
    let (w, alpha) = (body.delassus(), body.at_contacts(gravity(9.81, 0.4, 0.7)));
    let slip = Grip::Slip { direction: [0.6, 0.8], friction: 0.3 };
    let contacts = |grips: [Grip; 4]| grips.map(|grip| PhaseContact { dimension: Dimension::Spatial, grip });
    let phases = [contacts([Grip::Stick; 4]), contacts([slip; 4]), contacts([Grip::Stick, slip, slip, Grip::Stick])];
    let (mut phase, mut forces) = (PhaseForces::new(), [0.0; 12]);
    let mut counts = [0; 2];
    for round in &mut counts {
        let before = CALLS.get();
        for contacts in &phases {
            phase.solve((&w).into(), alpha.as_slice(), contacts, &mut forces).unwrap();
            phase.balance((&w).into(), contacts, Rows::Held, alpha.as_slice(), &mut forces).unwrap();
            phase.stick_margin((&w).into(), alpha.as_slice(), contacts, &[0.5; 4], &mut forces).unwrap();
        }
        *round = CALLS.get() - before;
    }
    assert!(counts[0] > 0 && counts[1] == 0, "{counts:?}");
}
