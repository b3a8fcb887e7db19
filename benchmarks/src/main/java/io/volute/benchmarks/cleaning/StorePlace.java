package io.volute.benchmarks.cleaning;

import java.io.IOException;

/** Where a store that is measured lives. It outlasts the store: it can be opened again. */
interface StorePlace {
    /** Opens the store, which is empty at the first time. */
    MeasuredStore open(StoreSettings settings) throws IOException, InterruptedException;

    /** Throws the index of the store, which is not open, away: the next start makes it again. */
    void discardIndex() throws IOException;
}
