package io.volute.benchmarks.load;

import io.volute.benchmarks.http.AsciiBuffer;

/**
 * The names of a run's objects, computed from their numbers: a client can request every page of a
 * listing without the response before it.
 *
 * @param prefixes over which the numbers are spread in turn
 */
record KeySpace(String run, int prefixes) {
    private static final int DIGITS = 10;

    /** Appends the key of an object; only characters that need no encoding. */
    void appendKey(AsciiBuffer target, long number) {
        appendPrefix(target, (int) (number % prefixes));
        target.putNumber(number / prefixes, DIGITS);
    }

    /** Appends what all keys of one prefix begin with, without the last slash of the path. */
    void appendPrefix(AsciiBuffer target, int prefix) {
        target.put(run).put("/").putNumber(prefix, 3).put("/");
    }

    /** Appends the query of the given page of the listing of a prefix, in canonical order. */
    void appendPageQuery(AsciiBuffer query, int prefix, long page, int pageSize) {
        query.put("list-type=2&max-keys=").putNumber(pageSize, 1).put("&prefix=");
        appendEncodedPrefix(query, prefix);
        if (page > 0) {
            query.put("&start-after=");
            appendEncodedPrefix(query, prefix);
            query.putNumber(page * pageSize - 1, DIGITS);
        }
    }

    private void appendEncodedPrefix(AsciiBuffer query, int prefix) {
        query.put(run).put("%2F").putNumber(prefix, 3).put("%2F");
    }
}
