package io.volute.server.query;

import io.volute.server.s3.request.QueryParameters;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tags in a form of the Query protocol, which numbers its members from 1. */
public final class TagParameters {
    private static final int LONGEST_KEY = 128;
    private static final int LONGEST_VALUE = 256;
    private static final String FORM = "[\\p{L}\\p{Z}\\p{N}_.:/=+@-]*";

    private TagParameters() {}

    /**
     * Returns the tags of a request.
     *
     * @throws QueryException ValidationError for a key or value of another form, InvalidInput for a
     *     key that is there twice
     */
    public static SortedMap<String, String> tags(QueryParameters asked) {
        SortedMap<String, String> tags = new TreeMap<>();
        for (int i = 1; asked.has("Tags.member." + i + ".Key"); i++) {
            String value =
                    asked.get("Tags.member." + i + ".Value")
                            .orElseThrow(() -> QueryException.invalid("A tag has no value."));
            add(tags, asked.text("Tags.member." + i + ".Key"), value);
        }
        return tags;
    }

    /** Adds a tag; refuses what {@link #tags} refuses. */
    public static void add(SortedMap<String, String> tags, String key, String value) {
        if (key.isEmpty()
                || key.length() > LONGEST_KEY
                || value.length() > LONGEST_VALUE
                || !key.matches(FORM)
                || !value.matches(FORM)) {
            throw QueryException.invalid(
                    "The key of a tag has 1 to "
                            + LONGEST_KEY
                            + " characters, its value "
                            + LONGEST_VALUE
                            + " at most: letters, digits, spaces or any of _.:/=+-@");
        }
        if (tags.put(key, value) != null) {
            throw new QueryException(400, "InvalidInput", "Two tags have the key " + key + ".");
        }
    }

    /** Returns a list of texts. */
    public static List<String> texts(QueryParameters asked, String name) {
        List<String> texts = new ArrayList<>();
        for (int i = 1; asked.has(name + ".member." + i); i++) {
            texts.add(asked.text(name + ".member." + i));
        }
        return texts;
    }
}
