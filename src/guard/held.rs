//! A guard as a session holds it. A build without the feature has no value of this type: the compiler leaves out of it what would ask
//! a guard, and nobody else has to.

use super::Guard;
use std::ops::{Deref, DerefMut};

/// A guard, in a build that has them.
#[derive(Debug)]
pub struct HeldGuard(#[cfg(feature = "guard")] Box<Guard>, #[cfg(not(feature = "guard"))] std::convert::Infallible);

impl HeldGuard {
    /// Holds a guard; `None` in a build without.
    pub fn new(guard: Guard) -> Option<Self> {
        #[cfg(feature = "guard")]
        return Some(Self(Box::new(guard)));
        #[cfg(not(feature = "guard"))]
        Some(guard).and(None)
    }
}

impl Deref for HeldGuard {
    type Target = Guard;

    #[inline(always)]
    fn deref(&self) -> &Guard {
        #[cfg(feature = "guard")]
        return &self.0;
        #[cfg(not(feature = "guard"))]
        match self.0 {}
    }
}

impl DerefMut for HeldGuard {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Guard {
        #[cfg(feature = "guard")]
        return &mut self.0;
        #[cfg(not(feature = "guard"))]
        match self.0 {}
    }
}
