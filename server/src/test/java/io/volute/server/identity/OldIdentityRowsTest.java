package io.volute.server.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.s3.S3TestBed;
import io.volute.storage.Cube;
import io.volute.versioning.Identities;
import io.volute.versioning.Identities.Identity;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of older programs, and the bytes of newer fields. */
@Tag("slow")
class OldIdentityRowsTest {
    private static final Caller ROOT = new Caller("root", "ROOTKEY", "test");
    private static final String ROW =
            "{\"created\":%d,\"members\":[],\"policies\":[],\"inline\":{}}";

    @TempDir private Path directory;

    private static IdentityStore open(Cube cube) throws IOException {
        return new TestPeople(cube, Map.of(), () -> S3TestBed.NOW).identities();
    }

    private static String id(IdentityStore store) {
        return store.holder(Kind.USER, "carol").orElseThrow().id();
    }

    @Test
    void aUserWithoutAnIdGetsOneThatStays() throws IOException {
        try (Cube cube = S3TestBed.cube(directory, () -> S3TestBed.NOW)) {
            Identities rows = ObjectStores.identitiesOf(cube);
            byte[] row =
                    String.format(ROW, S3TestBed.NOW.toEpochMilli())
                            .getBytes(StandardCharsets.UTF_8);
            rows.change(
                    List.of(new Identity(1, "carol", row)),
                    List.of(),
                    "{}".getBytes(StandardCharsets.UTF_8));
            IdentityStore store = open(cube);
            String old = id(store);
            store.setInline(ROOT, Kind.USER, "carol", "none", Optional.empty());
            assertThat(id(store)).isEqualTo(old);
            assertThat(id(open(cube))).isEqualTo(old);
            store.remove(ROOT, Kind.USER, "carol");
            store.add(ROOT, Kind.USER, "carol", Optional.empty(), IdentityDetails.NONE);
            assertThat(id(store)).isNotEqualTo(old);
            assertThat(id(open(cube))).isEqualTo(id(store));
        }
    }

    @Test
    void aGroupWithoutAnIdKeepsItsPublicIdUnderAnotherName() throws IOException {
        try (Cube cube = S3TestBed.cube(directory, () -> S3TestBed.NOW)) {
            byte[] row =
                    String.format(ROW, S3TestBed.NOW.toEpochMilli())
                            .getBytes(StandardCharsets.UTF_8);
            ObjectStores.identitiesOf(cube)
                    .change(
                            List.of(new Identity(2, "a", row), new Identity(2, "b", row)),
                            List.of(),
                            "{}".getBytes(StandardCharsets.UTF_8));
            IdentityStore store = open(cube);
            String a = PublicId.of(store.holder(Kind.GROUP, "a").orElseThrow());
            assertThat(PublicId.of(store.holder(Kind.GROUP, "b").orElseThrow())).isNotEqualTo(a);
            store.moveGroup(ROOT, "a", "c", "/x/");
            assertThat(PublicId.of(open(cube).holder(Kind.GROUP, "c").orElseThrow())).isEqualTo(a);
            assertThat(open(cube).holder(Kind.GROUP, "a")).isEmpty();
        }
    }

    @Test
    void aPolicyWithoutADateOfCreationKeepsItsFirst() throws IOException {
        try (Cube cube = S3TestBed.cube(directory, () -> S3TestBed.NOW)) {
            Identities rows = ObjectStores.identitiesOf(cube);
            String row =
                    """
                    {"changed":1000,"document":"{\\"Statement\\":{\\"Effect\\":\\"Allow\\",\
                    \\"Action\\":\\"*\\",\\"Resource\\":\\"*\\"}}"}\
                    """;
            rows.change(
                    List.of(new Identity(4, "all", row.getBytes(StandardCharsets.UTF_8))),
                    List.of(),
                    "{}".getBytes(StandardCharsets.UTF_8));
            IdentityStore store = open(cube);
            ManagedPolicy old = store.policies().iterator().next();
            assertThat(old.created()).isEqualTo(Instant.ofEpochMilli(1000));
            assertThat(old.version()).isEqualTo(1);
            assertThat(old.details()).isEqualTo(IdentityDetails.NONE);
            store.putPolicy(ROOT, "all", old.document());
            ManagedPolicy written = open(cube).policies().iterator().next();
            assertThat(written.created()).isEqualTo(Instant.ofEpochMilli(1000));
            assertThat(written.changed()).isEqualTo(S3TestBed.NOW);
            assertThat(written.version()).isEqualTo(2);
        }
    }

    /** Its holders keep its permissions, not those of the built-in policy of that name. */
    @Test
    void aPolicyWithTheNameOfABuiltInOneStays() throws IOException {
        try (Cube cube = S3TestBed.cube(directory, () -> S3TestBed.NOW)) {
            String row = "{\"changed\":1000,\"document\":\"{\\\"Statement\\\":[]}\"}";
            ObjectStores.identitiesOf(cube)
                    .change(
                            List.of(
                                    new Identity(
                                            4, "readonly", row.getBytes(StandardCharsets.UTF_8))),
                            List.of(),
                            "{}".getBytes(StandardCharsets.UTF_8));
            IdentityStore store = open(cube);
            ManagedPolicy old = store.policy("readonly").orElseThrow();
            assertThat(old.isBuiltIn()).isFalse();
            assertThat(store.builtInPolicies())
                    .extracting(ManagedPolicy::name)
                    .contains("readwrite")
                    .doesNotContain("readonly");
            store.removePolicy(ROOT, "readonly");
            assertThat(store.policy("readonly").orElseThrow().isBuiltIn()).isTrue();
        }
    }

    @Test
    void aBoundaryIsInTheRowOfItsUser() throws IOException {
        try (Cube cube = S3TestBed.cube(directory, () -> S3TestBed.NOW)) {
            IdentityStore store = open(cube);
            store.add(ROOT, Kind.USER, "carol", Optional.empty(), IdentityDetails.NONE);
            store.setBoundary(ROOT, Kind.USER, "carol", Optional.of("readonly"));
            String id = id(store);
            Identity row = ObjectStores.identitiesOf(cube).find(1, "carol").orElseThrow();
            assertThat(new String(row.content(), StandardCharsets.UTF_8))
                    .isEqualTo(
                            "{\"id\":\""
                                    + id
                                    + "\",\"created\":"
                                    + S3TestBed.NOW.toEpochMilli()
                                    + ",\"members\":[],\"policies\":[],\"inline\":{},"
                                    + "\"boundary\":\"readonly\"}");
            assertThat(open(cube).holder(Kind.USER, "carol").orElseThrow().details().boundary())
                    .contains("readonly");
        }
    }

    /** A user may do nothing without the policy that limits the user. */
    @Test
    void aBoundaryThatIsMissingAllowsNothing() throws IOException {
        try (Cube cube = S3TestBed.cube(directory, () -> S3TestBed.NOW)) {
            String row =
                    String.format(ROW, S3TestBed.NOW.toEpochMilli())
                            .replace("}}", "},\"boundary\":\"gone\"}");
            ObjectStores.identitiesOf(cube)
                    .change(
                            List.of(new Identity(1, "carol", row.getBytes(StandardCharsets.UTF_8))),
                            List.of(),
                            "{}".getBytes(StandardCharsets.UTF_8));
            Credential carol =
                    new Credential(
                            "KEY",
                            "secret",
                            "carol",
                            "carol",
                            Credential.Kind.USER,
                            0,
                            Optional.empty());
            assertThat(open(cube).bounded(carol).boundary().orElseThrow()).contains("Deny");
        }
    }
}
