package io.volute.benchmarks.cleaning.store;

import java.io.IOException;

/** The location of a measured store. It outlasts the store, which can be opened again. */
public interface StorePlace {
    /** Opens the store, which is empty the first time. */
    MeasuredStore open(StoreSettings settings) throws IOException, InterruptedException;

    /** Deletes the index of the closed store. The next start rebuilds it. */
    void discardIndex() throws IOException;
}
