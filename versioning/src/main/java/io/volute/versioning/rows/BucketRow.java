package io.volute.versioning.rows;

import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketAccess;
import io.volute.versioning.value.BucketAccess.PublicAccessRule;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketLock.DefaultRetention;
import io.volute.versioning.value.BucketLock.Unit;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.EntryField;
import io.volute.versioning.value.HiddenFields;
import io.volute.versioning.value.ObjectLock.Mode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A row of {@code buckets}; the name is the key.
 *
 * <pre>
 *   octet   7, the version of this layout; 1 has no history policy, 2 no access, 3 no hidden
 *             fields, 4 no lock, 5 no resolution and 6 no documents
 *   octet   versioning: 0 unversioned, 1 enabled, 2 suspended
 *   octet   history policy: 0 none, 1 open-close, 2 cycle-avoidance, 3 graph-finesse, 4 every-write
 *   varint  bucket id
 *   varint  created, milliseconds since 1970
 *   text    owner
 *   octet   access: 1, 2, 4, 8 a rule of the public access block; 16 there is one; 32 policy
 *   octet   fields of entries that are encrypted: 1, 2, 4, 8; 16: not the store's default
 *   octet   fields that are committed to: 1, 2, 4, 8
 *   octet   lock: 0 versions cannot be locked; 1 they can; 2 new ones are, by governance; 3 by
 *           compliance
 *   octet   0 days, 1 years                          (lock 2, 3)
 *   varint  how many                                 (lock 2, 3)
 *   varint  resolution of the past: 0 the store's default, else milliseconds + 1
 *   varint  how many documents
 *   octet   code of the {@link BucketDocument} (each, ascending)
 *   varint  its bytes (each)
 * </pre>
 *
 * <p>The record's detail is the policy and the documents in that order, in UTF-8.
 */
public final class BucketRow {
    private static final int LAYOUT = 7;
    private static final int LAYOUT_WITHOUT_HISTORY = 1;
    private static final int LAYOUT_WITHOUT_ACCESS = 2;
    private static final int LAYOUT_WITHOUT_HIDDEN = 3;
    private static final int LAYOUT_WITHOUT_LOCK = 4;
    private static final int LAYOUT_WITHOUT_RESOLUTION = 5;
    private static final int LAYOUT_WITHOUT_DOCUMENTS = 6;
    private static final int BLOCK = 16;
    private static final int POLICY = 32;
    private static final int OWN_HIDDEN = 16;
    private static final int LOCKABLE = 1;
    private static final int LOCKING = 2;

    private BucketRow() {}

    public static EncodedRow encode(BucketInfo bucket) {
        RowOutput output =
                new RowOutput()
                        .octet(LAYOUT)
                        .octet(bucket.versioning().ordinal())
                        .octet(bucket.history().ordinal())
                        .varint(bucket.id())
                        .varint(bucket.created().toEpochMilli())
                        .text(bucket.owner())
                        .octet(flags(bucket.access()))
                        .octet(encrypted(bucket.hidden()))
                        .octet(flags(bucket.hidden().map(HiddenFields::committed)));
        write(output, bucket.lock());
        output.varint(bucket.resolution().map(each -> each.toMillis() + 1).orElse(0L));
        ByteArrayOutputStream detail = new ByteArrayOutputStream();
        bucket.access().policyText().ifPresent(policy -> detail.writeBytes(utf8(policy)));
        output.varint(bucket.documents().size());
        for (BucketDocument document : new TreeSet<>(bucket.documents().keySet())) {
            byte[] text = utf8(bucket.documents().get(document));
            output.octet(document.code()).varint(text.length);
            detail.writeBytes(text);
        }
        return new EncodedRow(output.toBytes(), detail.toByteArray());
    }

    private static byte[] utf8(BucketInfo.Text text) {
        return text.text().getBytes(StandardCharsets.UTF_8);
    }

    /** The texts of a row. */
    public interface Detail {
        /** Returns the bytes of all texts. */
        int bytes();

        /** Returns a text. Its source reads the detail of the row. */
        BucketInfo.Text text(int begin, int bytes);
    }

    /** A detail in the heap. */
    private record Read(byte[] detail) implements Detail {
        @Override
        public int bytes() {
            return detail.length;
        }

        @Override
        public BucketInfo.Text text(int begin, int bytes) {
            return BucketInfo.Text.stored(
                    bytes, () -> new String(detail, begin, bytes, StandardCharsets.UTF_8));
        }
    }

    /** Reads the places of the documents, which are at the end of the detail. */
    private static Map<BucketDocument, BucketInfo.Text> documents(RowInput input, Detail detail) {
        Map<BucketDocument, Integer> sizes = new EnumMap<>(BucketDocument.class);
        for (int left = input.size(); left > 0; left--) {
            int code = input.octet();
            BucketDocument document =
                    BucketDocument.ofCode(code)
                            .orElseThrow(() -> new RowFormatException("document " + code));
            sizes.put(document, input.size());
        }
        int begin = detail.bytes() - sizes.values().stream().mapToInt(each -> each).sum();
        if (begin < 0) {
            throw new RowFormatException("documents that are longer than the detail");
        }
        Map<BucketDocument, BucketInfo.Text> documents = new EnumMap<>(BucketDocument.class);
        for (Map.Entry<BucketDocument, Integer> each : sizes.entrySet()) {
            documents.put(each.getKey(), detail.text(begin, each.getValue()));
            begin += each.getValue();
        }
        return documents;
    }

    private static void write(RowOutput output, Optional<BucketLock> lock) {
        Optional<DefaultRetention> byDefault = lock.flatMap(BucketLock::byDefault);
        if (byDefault.isPresent()) {
            output.octet(LOCKING + byDefault.get().mode().ordinal())
                    .octet(byDefault.get().unit().ordinal())
                    .varint(byDefault.get().period());
        } else {
            output.octet(lock.isPresent() ? LOCKABLE : 0);
        }
    }

    private static Optional<BucketLock> lock(RowInput input) {
        int code = input.octet();
        if (code < LOCKING) {
            return code == LOCKABLE ? Optional.of(BucketLock.PLAIN) : Optional.empty();
        }
        Mode mode = constant(Mode.values(), code - LOCKING, "lock");
        Unit unit = constant(Unit.values(), input.octet(), "unit");
        return Optional.of(
                new BucketLock(Optional.of(new DefaultRetention(mode, input.size(), unit))));
    }

    private static int flags(BucketAccess access) {
        int flags = flags(access.block());
        flags = access.block().isPresent() ? flags | BLOCK : flags;
        return access.policyText().isPresent() ? flags | POLICY : flags;
    }

    private static int encrypted(Optional<HiddenFields> hidden) {
        int flags = flags(hidden.map(HiddenFields::encrypted));
        return hidden.isPresent() ? flags | OWN_HIDDEN : flags;
    }

    private static <E extends Enum<E>> int flags(Optional<Set<E>> constants) {
        int flags = 0;
        for (E constant : constants.orElse(Set.of())) {
            flags |= 1 << constant.ordinal();
        }
        return flags;
    }

    private static <E extends Enum<E>> Set<E> constants(E[] values, int flags) {
        return Arrays.stream(values)
                .filter(each -> (flags & 1 << each.ordinal()) != 0)
                .collect(Collectors.toSet());
    }

    private static Optional<HiddenFields> hidden(int encrypted, int committed) {
        if ((encrypted & OWN_HIDDEN) == 0) {
            return Optional.empty();
        }
        if ((encrypted & committed) != 0) {
            throw new RowFormatException("fields " + encrypted + " and " + committed);
        }
        return Optional.of(
                new HiddenFields(
                        constants(EntryField.values(), encrypted),
                        constants(EntryField.values(), committed)));
    }

    private static BucketAccess access(int flags, BucketInfo.Text policy) {
        Set<PublicAccessRule> rules = constants(PublicAccessRule.values(), flags);
        return new BucketAccess(
                (flags & POLICY) == 0 ? Optional.empty() : Optional.of(policy),
                (flags & BLOCK) == 0 ? Optional.empty() : Optional.of(rules));
    }

    /** Decodes a row whose detail was read. */
    public static BucketInfo decode(
            byte[] key, byte[] summary, byte[] detail, HistoryPolicy history) {
        return decode(key, summary, new Read(detail), history);
    }

    /**
     * Decodes a row.
     *
     * @param history policy of a bucket whose row has none
     */
    public static BucketInfo decode(
            byte[] key, byte[] summary, Detail detail, HistoryPolicy history) {
        RowInput input = new RowInput(summary);
        int layout = input.version(LAYOUT_WITHOUT_HISTORY, LAYOUT, "bucket");
        VersioningState state = constant(VersioningState.values(), input.octet(), "versioning");
        HistoryPolicy policy =
                layout == LAYOUT_WITHOUT_HISTORY
                        ? history
                        : constant(HistoryPolicy.values(), input.octet(), "history policy");
        long id = input.varint();
        Instant created = Instant.ofEpochMilli(input.varint());
        BucketName name = new BucketName(new String(key, StandardCharsets.UTF_8));
        String owner = input.text();
        int access = layout <= LAYOUT_WITHOUT_ACCESS ? 0 : input.octet();
        Optional<HiddenFields> hidden =
                layout <= LAYOUT_WITHOUT_HIDDEN
                        ? Optional.empty()
                        : hidden(input.octet(), input.octet());
        Optional<BucketLock> lock = layout <= LAYOUT_WITHOUT_LOCK ? Optional.empty() : lock(input);
        Optional<Duration> resolution =
                layout <= LAYOUT_WITHOUT_RESOLUTION
                        ? Optional.empty()
                        : Optional.of(input.varint())
                                .filter(code -> code > 0)
                                .map(code -> Duration.ofMillis(code - 1));
        Map<BucketDocument, BucketInfo.Text> documents =
                layout <= LAYOUT_WITHOUT_DOCUMENTS ? Map.of() : documents(input, detail);
        int policyBytes =
                detail.bytes() - documents.values().stream().mapToInt(BucketInfo.Text::bytes).sum();
        return new BucketInfo(
                id,
                name,
                owner,
                created,
                state,
                policy,
                access(access, detail.text(0, policyBytes)),
                hidden,
                lock,
                resolution,
                documents);
    }

    private static <E> E constant(E[] values, int code, String what) {
        if (code >= values.length) {
            throw new RowFormatException(what + " " + code);
        }
        return values[code];
    }
}
