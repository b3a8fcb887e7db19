package io.volute.versioning.restore;

import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.rows.Event;
import java.time.Instant;

/**
 * The rules by which an undo condemns states and chooses others. Tests replace single rules by
 * mistakes, which the model of undo must find.
 */
class UndoRules {
    /** The rules of the store. */
    static final UndoRules ALL = new UndoRules();

    /** Returns whether the reader of a condemned state passes it on. */
    boolean spreads(Event.Read read) {
        return true;
    }

    /** Returns whether a copy of a condemned state is condemned. */
    boolean spreads(Event.Copied copied) {
        return true;
    }

    /** Returns whether a restored absence counts as the delete that made its origin. */
    boolean hasOrigin(Event.Restored restored) {
        return true;
    }

    /** Returns whether a delete can be condemned. */
    boolean isCondemnable(Event.Wrote wrote) {
        return true;
    }

    /** Returns whether the states that earlier undos condemned are not chosen. */
    boolean honoursEarlierUndos() {
        return true;
    }

    /** Returns whether an undo ends the force of those that its sources ran. */
    boolean endsUndosOfSources() {
        return true;
    }

    /** Returns whether the events of a cube count. */
    boolean sees(MergedEvents.CubeRows rows) {
        return true;
    }

    /**
     * Returns the instant of the last writes that an earlier undo condemns.
     *
     * @param end of that undo
     */
    Instant until(Instant end) {
        return end;
    }

    /**
     * Returns the prefix of the keys whose states an earlier undo condemns.
     *
     * @param prefix of that undo
     */
    String prefix(String prefix) {
        return prefix;
    }

    /**
     * Returns whether the walk back goes on behind a condemned state.
     *
     * @param steps states that it left behind
     */
    boolean goesBehind(int steps) {
        return true;
    }
}
