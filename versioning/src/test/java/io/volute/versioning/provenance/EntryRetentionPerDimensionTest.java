package io.volute.versioning.provenance;

import io.volute.provenance.record.SpiralShape.Construction;
import org.junit.jupiter.api.Tag;

/** The same with a link for each dimension. */
@Tag("slow")
class EntryRetentionPerDimensionTest extends EntryRetentionTest {
    @Override
    Construction construction() {
        return Construction.LINK_PER_DIMENSION;
    }
}
