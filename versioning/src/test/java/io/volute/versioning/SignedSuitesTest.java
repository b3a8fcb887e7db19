package io.volute.versioning;

import io.volute.versioning.Signing.Signed;
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
