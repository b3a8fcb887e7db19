package io.volute.versioning;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.ENTRIES;
import static io.volute.versioning.rows.Families.VERSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.rows.EntryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Provenance for suites that are about something else: on for their whole store, and audited. */
public final class Signing {
    public static final Terms CONTENTS =
            new Terms(Provenance.AuditScopeOf.EVERYTHING, Set.of(), false, true, 2);

    private Signing() {}

    /** A suite whose store signs. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Signed {}

    private static boolean isSigned(Object suite) {
        return suite.getClass().isAnnotationPresent(Signed.class);
    }

    public static StoreOptions options(Object suite, StoreOptions usual) {
        return isSigned(suite) ? usual.with(TestKeys.settings()) : usual;
    }

    /** After a test. */
    public static void audit(Object suite, VersionedStore store, Cube cube) throws IOException {
        if (isSigned(suite)) {
            assertThat(findings(store)).isEmpty();
            assertThat(told(cube)).containsAll(present(cube));
        }
    }

    /** Returns the findings of a full audit that compares contents. */
    public static List<String> findings(VersionedStore store) throws IOException {
        List<String> findings = Collections.synchronizedList(new ArrayList<>());
        Provenance provenance = store.provenance().orElseThrow();
        long chains =
                provenance.audit(
                        Range.ALL,
                        CONTENTS,
                        report ->
                                report.findings().stream()
                                        .map(each -> report.chain() + ", " + each)
                                        .allMatch(findings::add));
        assertThat(chains).isNotNegative();
        return findings;
    }

    /** Versions and delete markers that are there; each has its entry. */
    private static Set<String> present(Cube cube) {
        Set<String> present = new TreeSet<>();
        for (Family family : List.of(CURRENT, VERSIONS)) {
            try (RecordCursor cursor = cube.scan(family, new byte[0], new byte[0])) {
                while (cursor.next()) {
                    byte[] key = cursor.key();
                    int suffix = family.equals(VERSIONS) ? RowKeys.NUMBER_BYTES : 0;
                    ObjectRow row = ObjectRow.decode(cursor.record().summary());
                    present.add(name(key, suffix, row.number(), !row.deleteMarker()));
                }
            }
        }
        return present;
    }

    /** Returns the versions and delete markers of the entries, versions with their content. */
    private static Set<String> told(Cube cube) throws IOException {
        Set<String> told = new TreeSet<>();
        try (RecordCursor cursor = cube.scan(ENTRIES, new byte[0], new byte[0])) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                byte[] detail = cube.readDetail(ENTRIES, key, cursor.record());
                Entry entry = EntryRecord.decode(Bytes.of(detail)).entry();
                if (entry.kind().setsContent() || entry.kind() == EventKind.DELETE) {
                    long version = EntryRow.decode(cursor.record().summary()).version();
                    boolean isContent = entry.content().isPresent();
                    told.add(name(key, RowKeys.NUMBER_BYTES, version, isContent));
                }
            }
        } catch (RefusedException e) {
            throw new IOException("an entry that cannot be read", e);
        }
        return told;
    }

    private static String name(byte[] key, int suffix, long version, boolean isContent) {
        return HexFormat.of().formatHex(key, 0, key.length - suffix)
                + (isContent ? " version " : " marker ")
                + version;
    }
}
