package io.volute.server.config.key;

import io.volute.server.auth.policy.AddressRange;
import io.volute.server.auth.policy.MalformedPolicyException;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.versioning.value.EntryField;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the text of a value is understood.
 *
 * @param values the valid values, with their bounds
 * @param hint units and an example; continues {@code values}
 * @param parser empty when the text is none
 */
public record ValueType<T>(String values, String hint, Parser<T> parser) {
    /** A yes or no. */
    public static final ValueType<Boolean> FLAG =
            new ValueType<>(
                    "one of true, false",
                    t ->
                            t.matches("true|false")
                                    ? Optional.of(Boolean.valueOf(t))
                                    : Optional.empty());

    private static final Parser<List<String>> OBJECTS = t -> Optional.of(List.of());

    /**
     * A list of objects; the configuration reads it as a whole.
     *
     * @param form of an object
     */
    static ValueType<List<String>> objects(String form) {
        return new ValueType<>("a list of " + form + " in the configuration file", OBJECTS);
    }

    /** Returns whether the value is a list of objects. */
    public boolean isObjects() {
        return parser == OBJECTS;
    }

    /** Returns a type that refuses an empty text. */
    public static <T> ValueType<T> required(ValueType<T> chosen) {
        return new ValueType<>(
                chosen.values(),
                chosen.hint(),
                t -> t.isBlank() ? Optional.empty() : chosen.parser().parse(t));
    }

    public ValueType(String values, Parser<T> parser) {
        this(values, "", parser);
    }

    /** Returns the text to write, for messages: completes "write ...". */
    public String expects() {
        return values + hint;
    }

    /** Converts text to a value; empty when the text is invalid. */
    public interface Parser<T> {
        Optional<T> parse(String text);
    }

    private static final Pattern QUANTITY = Pattern.compile("([0-9]{1,15})\\s*([A-Za-z]*)");

    public static ValueType<String> text() {
        return new ValueType<>("a text", Optional::of);
    }

    public static ValueType<String> matching(String expects, String regex) {
        Pattern pattern = Pattern.compile(regex);
        return new ValueType<>(
                expects, t -> pattern.matcher(t).matches() ? Optional.of(t) : Optional.empty());
    }

    public static ValueType<List<String>> list(String values, String elementRegex) {
        return list(values, "", elementRegex);
    }

    private static ValueType<List<String>> list(String values, String hint, String elementRegex) {
        Pattern pattern = Pattern.compile(elementRegex);
        return new ValueType<>(
                values,
                hint,
                t -> {
                    List<String> parts =
                            Arrays.stream(t.split(",", -1))
                                    .map(String::strip)
                                    .filter(part -> !part.isEmpty())
                                    .toList();
                    boolean fine = parts.stream().allMatch(p -> pattern.matcher(p).matches());
                    return fine ? Optional.of(parts) : Optional.empty();
                });
    }

    /** Host names in lower case, or none. */
    public static ValueType<List<String>> hostNames(String example) {
        return list(
                "host names separated by commas",
                ", such as " + example,
                "[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
    }

    public static ValueType<Path> path() {
        return new ValueType<>(
                "a path",
                t -> {
                    try {
                        return t.isBlank() ? Optional.empty() : Optional.of(Path.of(t));
                    } catch (InvalidPathException e) {
                        return Optional.empty();
                    }
                });
    }

    /** A path or nothing. */
    public static ValueType<Optional<Path>> pathOrNone(String expects) {
        return new ValueType<>(
                expects,
                t ->
                        t.isBlank()
                                ? Optional.of(Optional.empty())
                                : path().parser().parse(t).map(Optional::of));
    }

    public static ValueType<Long> number(long min, long max) {
        return new ValueType<>(
                "a number from " + min + " to " + max,
                t ->
                        t.matches("[0-9]{1,18}")
                                ? within(Long.parseLong(t), min, max)
                                : Optional.empty());
    }

    /** A decimal number without sign or exponent. */
    public static ValueType<Double> fraction(double min, double max) {
        return new ValueType<>(
                "a number from " + min + " to " + max,
                ", such as " + (min + (max - min) / 2),
                t ->
                        t.matches("[0-9]{1,9}([.][0-9]{1,9})?")
                                ? Optional.of(Double.parseDouble(t))
                                        .filter(value -> value >= min && value <= max)
                                : Optional.empty());
    }

    /** Bytes with unit. */
    public static ValueType<Long> size(long min, long max, long multiple) {
        String bounds = "a size from " + show(min) + " to " + show(max);
        return new ValueType<>(
                bounds + (multiple > 1 ? ", a multiple of " + show(multiple) : ""),
                ", such as " + show(Math.max(min, Math.min(max, 64L << 20))),
                t -> bytes(t).flatMap(v -> within(v, min, max)).filter(v -> v % multiple == 0));
    }

    /**
     * Returns a type that also accepts 0.
     *
     * @param zero the meaning of 0
     */
    public static <T> ValueType<T> zeroOr(T zero, ValueType<T> chosen) {
        return new ValueType<>(
                "0, or " + chosen.values(),
                chosen.hint(),
                t -> t.matches("0+") ? Optional.of(zero) : chosen.parser().parse(t));
    }

    public static ValueType<Duration> duration(Duration min, Duration max) {
        return new ValueType<>(
                "a time from " + show(min) + " to " + show(max),
                " with its unit (ms, s, m, h, d), such as 30s",
                t -> time(t).filter(d -> d.compareTo(min) >= 0 && d.compareTo(max) <= 0));
    }

    public static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
        List<String> names = Arrays.stream(type.getEnumConstants()).map(e -> nameOf(e)).toList();
        return new ValueType<>(
                "one of " + String.join(", ", names),
                t ->
                        Arrays.stream(type.getEnumConstants())
                                .filter(e -> nameOf(e).equals(t))
                                .findFirst());
    }

    public static ValueType<String> region() {
        return matching(
                "a region such as us-east-1 (letters, digits, -)", "[A-Za-z0-9][A-Za-z0-9-]{0,62}");
    }

    /** Fields of provenance entries, or nothing. */
    public static ValueType<List<String>> fields() {
        List<String> known = Arrays.stream(EntryField.values()).map(EntryField::text).toList();
        return list(
                "fields of entries separated by commas, of " + String.join(", ", known),
                String.join("|", known));
    }

    /** The address of a server without a path, or nothing. */
    public static ValueType<String> server(String example) {
        return matching(
                "the address of a server, such as " + example + ", or nothing",
                "|https?://(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\\[[0-9a-f:.]{2,45}\\])"
                        + "(?::[0-9]{1,5})?");
    }

    public static ValueType<ObjectOwnership> ownership() {
        List<String> words =
                Arrays.stream(ObjectOwnership.values()).map(ObjectOwnership::word).toList();
        return new ValueType<>("one of " + String.join(", ", words), ObjectOwnership::named);
    }

    /**
     * Returns an address that has a host; empty for a text without one, as {@code http://[:::]}.
     */
    public static Optional<URI> withHost(String text) {
        try {
            return Optional.of(URI.create(text)).filter(uri -> uri.getHost() != null);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the text of a constant. */
    static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Addresses and ranges of addresses, or nothing. */
    public static ValueType<List<AddressRange>> addressRanges() {
        String values = "addresses or ranges of addresses separated by commas";
        return new ValueType<>(
                values,
                ", such as 192.0.2.7, 10.0.0.0/8",
                t -> {
                    try {
                        return list(values, ".+")
                                .parser()
                                .parse(t)
                                .map(all -> all.stream().map(AddressRange::of).toList());
                    } catch (MalformedPolicyException e) {
                        return Optional.empty();
                    }
                });
    }

    public static ValueType<InetSocketAddress> address() {
        return new ValueType<>(
                "HOST:PORT",
                ", such as 127.0.0.1:9000, 0.0.0.0:9000 or [::1]:9000",
                ValueType::address);
    }

    /** An address or nothing. */
    public static ValueType<Optional<InetSocketAddress>> addressOrNone() {
        return new ValueType<>(
                "HOST:PORT",
                ", such as 127.0.0.1:9001, or nothing",
                t -> t.isBlank() ? Optional.of(Optional.empty()) : address(t).map(Optional::of));
    }

    private static Optional<InetSocketAddress> address(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
            return Optional.empty();
        }
        String host = text.substring(0, colon);
        int port = Integer.parseInt(text.substring(colon + 1));
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (port > 65_535 || host.contains(":") && !bracketed) {
            return Optional.empty();
        }
        try {
            String bare = bracketed ? host.substring(1, host.length() - 1) : host;
            return Optional.of(new InetSocketAddress(InetAddress.getByName(bare), port));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    private static Optional<Long> within(long value, long min, long max) {
        return value >= min && value <= max ? Optional.of(value) : Optional.empty();
    }

    private static Optional<Long> bytes(String text) {
        Matcher matcher = QUANTITY.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int shift =
                switch (matcher.group(2)) {
                    case "", "B" -> 0;
                    case "K", "KiB" -> 10;
                    case "M", "MiB" -> 20;
                    case "G", "GiB" -> 30;
                    case "T", "TiB" -> 40;
                    case "P", "PiB" -> 50;
                    case String other -> -1;
                };
        long number = Long.parseLong(matcher.group(1));
        return shift < 0 || number > Long.MAX_VALUE >> shift
                ? Optional.empty()
                : Optional.of(number << shift);
    }

    private static Optional<Duration> time(String text) {
        Matcher matcher = QUANTITY.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long number = Math.min(Long.parseLong(matcher.group(1)), 1_000_000_000L);
        return switch (matcher.group(2)) {
            case "ms" -> Optional.of(Duration.ofMillis(number));
            case "s" -> Optional.of(Duration.ofSeconds(number));
            case "m" -> Optional.of(Duration.ofMinutes(number));
            case "h" -> Optional.of(Duration.ofHours(number));
            case "d" -> Optional.of(Duration.ofDays(number));
            case String other -> Optional.empty();
        };
    }

    /** Returns the size in the greatest unit that needs no fraction. */
    public static String show(long bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
        int unit = 0;
        long number = bytes;
        while (unit < units.length - 1 && number > 0 && number % 1024 == 0) {
            number /= 1024;
            unit++;
        }
        return number == 0 ? "0" : number + " " + units[unit];
    }

    /** Returns the duration in the greatest unit that needs no fraction. */
    public static String show(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) {
            return "0s";
        }
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        String[] units = {"s", "m", "h", "d"};
        int[] next = {60, 60, 24};
        int unit = 0;
        long number = millis / 1000;
        while (unit < next.length && number % next[unit] == 0) {
            number /= next[unit];
            unit++;
        }
        return number + units[unit];
    }
}
