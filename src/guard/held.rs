//! A guard as a session holds it. A build without the feature has no value of this type: the compiler leaves out of it what would ask
//! a guard, and nobody else has to.

use super::Guard;
use std::ops::{Deref, DerefMut};

/// A guard, in a build that has them.
#[derive(Debug)]
pub struct HeldGuard {
    guard: Box<Guard>,
    #[cfg(not(feature = "guard"))]
    _never: std::convert::Infallible,
}

impl HeldGuard {
    /// Holds a guard; `None` in a build without.
    #[cfg(feature = "guard")]
    pub fn new(guard: Guard) -> Option<Self> {
        Some(Self { guard: Box::new(guard) })
    }

    /// The same.
    #[cfg(not(feature = "guard"))]
    pub fn new(_: Guard) -> Option<Self> {
        None
    }
}

impl Deref for HeldGuard {
    type Target = Guard;

    fn deref(&self) -> &Guard {
        &self.guard
    }
}

impl DerefMut for HeldGuard {
    fn deref_mut(&mut self) -> &mut Guard {
        &mut self.guard
    }
}
