package io.volute.versioning;

/** The same with bodies in their records. */
class InterferenceInRecordsTest extends InterferenceTest {
    @Override
    int recordBodyBytesMax() {
        return 100;
    }
}
