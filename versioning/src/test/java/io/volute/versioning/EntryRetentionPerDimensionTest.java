package io.volute.versioning;

import io.volute.provenance.record.SpiralShape.Construction;

/** The same with a link for each dimension. */
class EntryRetentionPerDimensionTest extends EntryRetentionTest {
    @Override
    Construction construction() {
        return Construction.LINK_PER_DIMENSION;
    }
}
