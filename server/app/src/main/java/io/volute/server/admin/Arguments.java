package io.volute.server.admin;

import io.volute.adminapi.Route;
import io.volute.server.Limits;
import io.volute.server.json.Json;
import io.volute.server.s3.request.QueryParameters;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionId;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The arguments of a request, by name: a GET has them in its query, others in the JSON object of
 * their body. An invalid argument ends the request with a message that describes the valid form.
 */
final class Arguments {
    /** Prefix of the query parameters of a presigned request, which are not arguments. */
    private static final String OF_THE_SIGNATURE = "X-Amz-";

    /** {@link Instant#parse} would take offsets as well. */
    private static final Pattern INSTANT =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z");

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    /** The source of the values: in a query, all of them are text. */
    private enum Form {
        QUERY,
        JSON
    }

    private final Form form;
    private final String prefix;
    private final Map<String, Object> values;

    /** The bucket that the caller's rights were judged for; empty if there is none. */
    private Optional<BucketInfo> judged = Optional.empty();

    /** The part of the history that the caller may see; empty for all of it. */
    private Optional<HistoryView> view = Optional.empty();

    private Arguments(Form form, String prefix, Map<String, Object> values) {
        this.form = form;
        this.prefix = prefix;
        this.values = values;
    }

    static Arguments of(String method, QueryParameters query, byte[] body) {
        Map<String, Object> asked = new LinkedHashMap<>();
        for (QueryParameters.Parameter each : query.parameters()) {
            if (!each.name().startsWith(OF_THE_SIGNATURE)) {
                asked.put(each.name(), each.value());
            }
        }
        Map<String, Object> document = parse(body);
        if (method.equals("GET")) {
            refuse(document, "a GET has no body: this goes in the query");
            return new Arguments(Form.QUERY, "", asked);
        }
        refuse(asked, "this goes in the body");
        return new Arguments(Form.JSON, "", document);
    }

    /**
     * Returns the arguments of a request that another node has received.
     *
     * @param json those of {@link #all}, as a JSON object
     */
    static Arguments again(Route<?, ?> route, byte[] json) {
        return new Arguments(route.isGet() ? Form.QUERY : Form.JSON, "", parse(json));
    }

    private static Map<String, Object> parse(byte[] body) {
        if (new String(body, StandardCharsets.UTF_8).isBlank()) {
            return Map.of();
        }
        try {
            return Json.read(body);
        } catch (IOException e) {
            throw AdminException.badRequest("the body is " + e.getMessage());
        }
    }

    private static void refuse(Map<String, Object> misplaced, String why) {
        for (String name : misplaced.keySet()) {
            throw AdminException.badRequest("unknown property \"" + name + "\": " + why);
        }
    }

    /** Returns all arguments as the client sent them. */
    Map<String, Object> all() {
        return Collections.unmodifiableMap(values);
    }

    /** Refuses arguments that are no fields of a request. */
    void only(Class<? extends Record> request) {
        only(names(request));
    }

    /** Refuses arguments that are neither of these nor fields of a request. */
    void only(String first, Class<? extends Record> request) {
        List<String> known = new ArrayList<>(List.of(first));
        known.addAll(names(request));
        only(known);
    }

    private static List<String> names(Class<? extends Record> request) {
        return Arrays.stream(request.getRecordComponents()).map(RecordComponent::getName).toList();
    }

    private void only(List<String> known) {
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw AdminException.badRequest(
                        "unknown property \""
                                + prefix
                                + name
                                + "\": this takes "
                                + (known.isEmpty() ? "none" : String.join(", ", known)));
            }
        }
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    /** Returns the value as the client sent it, or the default when it is absent. */
    Object value(String name, Object otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    private AdminException wrong(String name, String what) {
        return AdminException.badRequest(prefix + name + " " + what);
    }

    private <T> T needed(String name, Optional<T> value) {
        return value.orElseThrow(() -> wrong(name, "is missing"));
    }

    Optional<String> text(String name) {
        if (!has(name)) {
            return Optional.empty();
        }
        if (!(values.get(name) instanceof String text)) {
            throw wrong(name, "is a text");
        }
        // Half a character would be stored as another one.
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw wrong(name, "is not valid Unicode");
        }
        return Optional.of(text);
    }

    String neededText(String name) {
        return needed(name, text(name));
    }

    Optional<Long> number(String name) {
        if (!has(name)) {
            return Optional.empty();
        }
        Object value = values.get(name);
        if (form == Form.QUERY && NUMBER.matcher(value.toString()).matches()) {
            return Optional.of(Long.parseLong(value.toString()));
        }
        if (value instanceof Long number && number >= 0) {
            return Optional.of(number);
        }
        throw wrong(name, "is a number, not negative");
    }

    long neededNumber(String name) {
        return needed(name, number(name));
    }

    /** Returns the maximum number of entries in a page. */
    int max() {
        long max = number("max").orElse((long) Limits.ADMIN_PAGE_MAX);
        if (max < 1 || max > Limits.ADMIN_PAGE_MAX) {
            throw wrong("max", "is a number from 1 to " + Limits.ADMIN_PAGE_MAX);
        }
        return (int) max;
    }

    /** Returns the token at which a page begins; empty for the first page. */
    Optional<String> from() {
        return text("from").filter(token -> !token.isEmpty());
    }

    Optional<Instant> instant(String name) {
        return text(name).map(text -> instantOf(name, text));
    }

    Instant neededInstant(String name) {
        return needed(name, instant(name));
    }

    private Instant instantOf(String name, String text) {
        if (INSTANT.matcher(text).matches()) {
            try {
                return Instant.parse(text);
            } catch (DateTimeException e) {
                // Of the right shape, but no day or time.
            }
        }
        throw wrong(name, "is an instant in UTC, written like 2026-11-20T14:05:00Z");
    }

    Optional<BucketName> bucket() {
        return text("bucket").map(this::bucketOf);
    }

    BucketName neededBucket() {
        return needed("bucket", bucket());
    }

    /** Notes the bucket that the caller's rights are judged for. */
    void judge(Optional<BucketInfo> bucket) {
        judged = bucket;
    }

    Optional<BucketInfo> judged() {
        return judged;
    }

    /** Notes the part of the history that the caller may see. */
    void limit(HistoryView seen) {
        view = Optional.of(seen);
    }

    Optional<HistoryView> view() {
        return view;
    }

    /** Returns the needed bucket: the judged one, or a deleted one by its name. */
    BucketRef neededRef() {
        BucketName name = neededBucket();
        return judged.isPresent() ? judged.get() : name;
    }

    private BucketName bucketOf(String text) {
        if (!BucketName.isValid(text)) {
            throw wrong(
                    "bucket", "is the name of a bucket, and none can be called \"" + text + "\"");
        }
        return new BucketName(text);
    }

    ObjectKey key() {
        String text = neededText("key");
        try {
            return new ObjectKey(text);
        } catch (IllegalArgumentException e) {
            throw wrong("key", "has 1 to " + ObjectKey.BYTES_MAX + " bytes of UTF-8");
        }
    }

    /** Returns the selected version; empty for the current one. */
    Optional<VersionSelector> version() {
        return text("versionId")
                .map(
                        text ->
                                VersionId.parse(text)
                                        .orElseThrow(
                                                () ->
                                                        wrong(
                                                                "versionId",
                                                                "is the id of a version as S3's"
                                                                        + " clients see it, or"
                                                                        + " null")));
    }

    /** An object within this one. */
    Arguments neededObject(String name) {
        if (!has(name)) {
            throw wrong(name, "is missing");
        }
        if (!(values.get(name) instanceof Map<?, ?> map)) {
            throw wrong(name, "is an object");
        }
        Map<String, Object> inner = new LinkedHashMap<>();
        map.forEach((each, value) -> inner.put(String.valueOf(each), value));
        return new Arguments(form, prefix + name + ".", inner);
    }

    /** Returns a flag; an absent one is false. */
    boolean flag(String name) {
        Object value = values.getOrDefault(name, false);
        if (form == Form.QUERY && List.of("true", "false").contains(value.toString())) {
            return Boolean.parseBoolean(value.toString());
        }
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw wrong(name, "is true or false");
    }

    /** Returns a list of texts; none when it is missing. */
    List<String> texts(String name) {
        if (!(values.getOrDefault(name, List.of()) instanceof List<?> list)
                || !list.stream().allMatch(String.class::isInstance)) {
            throw wrong(name, "is a list of texts");
        }
        return list.stream()
                .map(each -> new Arguments(form, prefix, Map.of(name, each)).neededText(name))
                .toList();
    }

    /** Returns a list of numbers; none when it is missing. */
    List<Long> numbers(String name) {
        if (!(values.getOrDefault(name, List.of()) instanceof List<?> list)
                || !list.stream().allMatch(each -> each instanceof Long id && id >= 0)) {
            throw wrong(name, "is a list of numbers, not negative");
        }
        return list.stream().map(Long.class::cast).toList();
    }

    /** Some of the words for something; none when it is missing. */
    <T> Set<T> words(String name, Map<String, T> words) {
        if (!(values.getOrDefault(name, List.of()) instanceof List<?> list)
                || !words.keySet().containsAll(list)) {
            throw wrong(name, "is a list of " + String.join(", ", words.keySet()));
        }
        return list.stream().map(words::get).collect(Collectors.toSet());
    }

    /** Some of these words, separated by commas; none when it is missing. */
    Set<String> list(String name, Collection<String> words) {
        List<String> list = text(name).map(text -> List.of(text.split(",", -1))).orElse(List.of());
        if (!words.containsAll(list)) {
            throw wrong(name, "is a list, separated by commas, of " + String.join(", ", words));
        }
        return Set.copyOf(list);
    }

    /** Returns the meaning of an argument that must be one of some words. */
    <T> T neededWord(String name, Map<String, T> words) {
        String text = neededText(name);
        if (!words.containsKey(text)) {
            throw wrong(name, "is one of " + String.join(", ", words.keySet()));
        }
        return words.get(text);
    }
}
