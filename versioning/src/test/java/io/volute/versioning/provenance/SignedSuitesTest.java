package io.volute.versioning.provenance;

import io.volute.versioning.ConcurrencyOnDiskTest;
import io.volute.versioning.Signing.Signed;
import io.volute.versioning.SmallSegmentsTest;
import io.volute.versioning.object.ConditionalWritesTest;
import io.volute.versioning.object.CopyOnDiskTest;
import io.volute.versioning.object.MultipartOnDiskTest;
import io.volute.versioning.object.ObjectLockTest;
import io.volute.versioning.object.VersioningRulesOnDiskTest;
import io.volute.versioning.restore.RestoreTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The main suites with provenance, most of them on disk: each test ends with an audit of
 * everything.
 */
@Tag("slow")
class SignedSuitesTest {

    @Nested
    @Signed
    class Rules extends VersioningRulesOnDiskTest {}

    @Nested
    @Signed
    class Uploads extends MultipartOnDiskTest {}

    @Nested
    @Signed
    class Copies extends CopyOnDiskTest {}

    @Nested
    @Signed
    class Conditions extends ConditionalWritesTest {}

    @Nested
    @Signed
    class Concurrency extends ConcurrencyOnDiskTest {}

    @Nested
    @Signed
    class Locks extends ObjectLockTest {}

    @Nested
    @Signed
    class SmallSegments extends SmallSegmentsTest {}

    @Nested
    @Signed
    class Restores extends RestoreTest {}
}
