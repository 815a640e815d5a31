// SPDX-License-Identifier: BSD-3-Clause

//! What `#[derive(DmdSizeOf)]` calls. The compiler shows the bounds below, with their comments,
//! where a field cannot be measured.

use crate::{DmdSizeOf, Ops};

#[inline(always)]
pub fn measured_field<P, T>(ops: &mut Ops, field: &T) -> usize
where
    T: DmdSizeOf<P>, // derive it for the field's type, or write #[dmd(ignore = "why")] at the field
    T: ?Sized,
{
    field.dmd_size_of(ops)
}
