package io.volute.versioning.move;

/** Receives how far a move is. Thread-safe. */
public interface MoveProgress {
    /** Notes that a pass over the keys begins; they have been counted, and clients write on. */
    void begin(long keys);

    /** Notes how many keys the pass has dealt with. */
    void at(long keys);
}
