package io.volute.provenance.audit;

/**
 * Something is wrong.
 *
 * @param sequence of the entry it is about; where one is missing, of the first missing one
 */
public record Finding(long sequence, Cause cause, String detail) {
    public Promise promise() {
        return cause.promise();
    }

    @Override
    public String toString() {
        return "entry " + sequence + ": " + promise() + " broken, " + cause.text() + ": " + detail;
    }
}
