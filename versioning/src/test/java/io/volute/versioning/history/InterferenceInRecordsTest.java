package io.volute.versioning.history;

/** The same with bodies in their records. */
class InterferenceInRecordsTest extends InterferenceTest {
    @Override
    public int recordBodyBytesMax() {
        return 100;
    }
}
