package io.volute.server.iam;

import io.volute.server.query.QueryException;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.xml.XmlWriter;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One page of a list: the marker is the name of the last member of the page before.
 *
 * @param marker empty for the first page
 * @param max greatest number of members
 */
record IamPage(String marker, int max) {
    static final String MARKER = "Marker";
    static final String MAX_ITEMS = "MaxItems";
    private static final int DEFAULT_ITEMS = 100;
    private static final int MOST_ITEMS = 1000;

    /** Size of an answer from which on the rest goes to the next page. */
    private static final int MOST_BYTES = 1 << 20;

    private static final Comparator<String> ORDER =
            String.CASE_INSENSITIVE_ORDER.thenComparing(Comparator.naturalOrder());

    static IamPage of(QueryParameters asked) {
        String text = asked.get(MAX_ITEMS).orElse(Integer.toString(DEFAULT_ITEMS));
        if (!text.matches("[0-9]{1,4}")
                || Integer.parseInt(text) < 1
                || Integer.parseInt(text) > MOST_ITEMS) {
            throw QueryException.invalid("MaxItems is a number from 1 to " + MOST_ITEMS + ".");
        }
        return new IamPage(asked.text(MARKER), Integer.parseInt(text));
    }

    /**
     * Writes the page of a list, sorted by name without regard to the case of letters. Each member
     * of the page is read again, so that only the names of all are in memory.
     *
     * @param list name of the element
     * @param read finds a member; one that has gone since is left out
     * @param member writes the content of one member
     */
    <T> void write(
            XmlWriter xml,
            String list,
            Stream<String> names,
            Function<String, Optional<T>> read,
            BiConsumer<XmlWriter, T> member) {
        List<String> rest = rest(names, Function.identity());
        int count = 0;
        xml.begin(list);
        while (count < Math.min(max, rest.size()) && (count == 0 || xml.bytes() < MOST_BYTES)) {
            read.apply(rest.get(count))
                    .ifPresent(
                            found -> {
                                xml.begin("member");
                                member.accept(xml, found);
                                xml.end();
                            });
            count++;
        }
        xml.end();
        end(xml, rest, count, Function.identity());
    }

    /** Writes the page of a short list. */
    <T> void write(
            XmlWriter xml,
            String list,
            Collection<T> all,
            Function<T, String> name,
            BiConsumer<XmlWriter, T> member) {
        Map<String, T> byName = all.stream().collect(Collectors.toMap(name, Function.identity()));
        write(xml, list, byName.keySet().stream(), each -> Optional.of(byName.get(each)), member);
    }

    /** Returns the members from the marker on, sorted. */
    <T> List<T> rest(Stream<T> all, Function<T, String> name) {
        return all.filter(each -> marker.isEmpty() || ORDER.compare(name.apply(each), marker) > 0)
                .sorted(Comparator.comparing(name, ORDER))
                .toList();
    }

    /**
     * Writes where the next page begins.
     *
     * @param count members of the rest that this page has
     */
    static <T> void end(XmlWriter xml, List<T> rest, int count, Function<T, String> name) {
        xml.element("IsTruncated", count < rest.size());
        if (count < rest.size()) {
            xml.element(MARKER, name.apply(rest.get(count - 1)));
        }
    }
}
