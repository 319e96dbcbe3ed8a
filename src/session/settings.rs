//! Options, a row for each: its type, its default, and its name in JSON where it has one.

use crate::wire::Fields;

/// Makes the type of some options, their defaults, and what reads them.
macro_rules! settings {
    ($(#[$about:meta])* $name:ident {
        $($(#[$of:meta])* $option:ident: $type:ty = $default:expr $(, $json:literal)?;)*
    }) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$of])* pub $option: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($option: $default,)* }
            }
        }

        impl $name {
            /// Takes over the options that are given.
            fn take(&mut self, fields: &Fields<'_>) {
                $($(self.$option.read(fields, $json);)?)*
            }
        }
    };
}
pub(super) use settings;

/// A value of an option, which stays what it is where none is given.
pub(super) trait Setting {
    fn read(&mut self, fields: &Fields<'_>, name: &str);
}

/// A limit. `null`, which is what JSON makes of `Infinity`, is none.
impl Setting for usize {
    #[inline(never)]
    fn read(&mut self, fields: &Fields<'_>, name: &str) {
        if let Some(given) = fields.get(name) {
            *self = given.whole().and_then(|given| Self::try_from(given).ok()).unwrap_or(Self::MAX);
        }
    }
}

impl Setting for f64 {
    #[inline(never)]
    fn read(&mut self, fields: &Fields<'_>, name: &str) {
        fields.whole(name).into_iter().for_each(|given| *self = given as Self);
    }
}

impl Setting for u64 {
    fn read(&mut self, fields: &Fields<'_>, name: &str) {
        *self = fields.whole(name).unwrap_or(*self);
    }
}

impl Setting for u32 {
    fn read(&mut self, fields: &Fields<'_>, name: &str) {
        *self = fields.whole(name).map_or(*self, |given| Self::try_from(given).unwrap_or(Self::MAX));
    }
}

/// Not given is no.
impl Setting for bool {
    fn read(&mut self, fields: &Fields<'_>, name: &str) {
        *self = fields.yes(name);
    }
}
