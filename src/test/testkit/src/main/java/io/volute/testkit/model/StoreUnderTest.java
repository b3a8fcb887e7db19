package io.volute.testkit.model;

import io.volute.versioning.ObjectStore;
import java.io.IOException;

/** Opens one object store, empty at first; every later call opens what the last one closed. */
interface StoreUnderTest {
    ObjectStore open() throws IOException;
}
