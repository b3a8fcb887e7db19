package io.volute.versioning.provenance;

import static io.volute.versioning.StoreException.Reason.BAD_STATEMENT;
import static io.volute.versioning.StoreException.Reason.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.audit.AuditReport;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.storage.LateCommitException;
import io.volute.versioning.FakeCube;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.Provenance.Range;
import io.volute.versioning.Provenance.Terms;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.TestKeys;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StatementsTest extends StoreFixture {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final SigningKey KEY = SigningKey.generate(SignatureAlgorithm.ED25519, RANDOM);
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private boolean isSigned = true;

    @Override
    public StoreOptions options(StoreOptions usual) {
        return isSigned ? usual.with(TestKeys.settings()) : usual;
    }

    @BeforeEach
    void register() throws IOException {
        turnClockTo(NOW);
        store.close();
        store = reopen();
        provenance().addPrincipalKey("alice", KEY.publicKey());
    }

    private Attestation sign(SigningKey by, String key, EventKind kind, Optional<Hash> content) {
        return sign(by, key, kind, content, NOW.plusSeconds(30));
    }

    private Attestation sign(
            SigningKey by, String key, EventKind kind, Optional<Hash> content, Instant at) {
        ChainIdentity chain =
                new ChainIdentity(provenance().keys().storeId(), 1, BUCKET.value(), Bytes.of(key));
        byte[] nonce = new byte[Attestation.NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        Bytes signed =
                Attestation.statement(
                        chain, kind, content, by.id(), at.toEpochMilli(), Bytes.of(nonce));
        return new Attestation(
                Attestation.By.CLIENT,
                by.id(),
                at.toEpochMilli(),
                Bytes.of(nonce),
                by.sign(Domain.STATEMENT_SIGNATURE, signed));
    }

    private static Optional<Hash> hash(String content) {
        return Optional.of(Hash.ofContent(utf8(content)));
    }

    private static Caller alice(Attestation statement) {
        return new Caller("alice", "key-a", "laptop", Optional.of(statement));
    }

    private ObjectVersion put(Caller caller, String key, String text) throws IOException {
        return store.put(
                caller, BUCKET, key(key), body(text), attributes(text), WriteCondition.NONE);
    }

    private void refusedPut(Attestation statement) throws IOException {
        long rows = rows(io.volute.versioning.rows.Families.ENTRIES);
        refused(BAD_STATEMENT, () -> put(alice(statement), "k", "content"));
        assertThat(rows(io.volute.versioning.rows.Families.ENTRIES)).isEqualTo((int) rows);
        assertThat(head("k")).isEmpty();
    }

    private List<AuditReport> audit() throws IOException {
        List<AuditReport> reports = new ArrayList<>();
        assertThat(provenance().audit(Range.ALL, Terms.USUAL, reports::add)).isPositive();
        return reports;
    }

    @Test
    void whatThePrincipalSignedIsInTheEntry() throws IOException {
        Attestation written = sign(KEY, "k", EventKind.WRITE, hash("content"));
        assertThat(put(alice(written), "k", "content").bytes()).isEqualTo(7);
        Attestation deleted = sign(KEY, "k", EventKind.DELETE, Optional.empty());
        assertThat(
                        store.delete(alice(deleted), BUCKET, key("k"), LATEST, WriteCondition.NONE)
                                .version())
                .isPresent();
        List<EntryRecord> entries = new ArrayList<>();
        provenance().entries(BUCKET, key("k"), entries::add);
        assertThat(entries)
                .extracting(each -> each.entry().attestation())
                .containsExactly(Optional.of(written), Optional.of(deleted));
        assertThat(audit()).allMatch(AuditReport::isClean);
    }

    @Test
    void signatureUnderSomethingElseIsRefused() throws IOException {
        refusedPut(sign(KEY, "k", EventKind.WRITE, hash("other")));
        refusedPut(sign(KEY, "other", EventKind.WRITE, hash("content")));
        refusedPut(sign(KEY, "k", EventKind.DELETE, hash("content")));
    }

    @Test
    void keysOfOthersAreRefused() throws IOException {
        SigningKey other = SigningKey.generate(SignatureAlgorithm.ML_DSA_65, RANDOM);
        refusedPut(sign(other, "k", EventKind.WRITE, hash("content")));
        provenance().addPrincipalKey("bob", other.publicKey());
        refusedPut(sign(other, "k", EventKind.WRITE, hash("content")));
        refused(INVALID_ARGUMENT, () -> provenance().addPrincipalKey("alice", other.publicKey()));
        provenance().endPrincipalKey(KEY.id());
        put("elsewhere", "so that there is a commit behind the end");
        refusedPut(sign(KEY, "k", EventKind.WRITE, hash("content")));
        refused(INVALID_ARGUMENT, () -> provenance().endPrincipalKey(TestKeys.unknown()));
    }

    @Test
    void statementIsGoodOnceAndForSomeMinutes() throws IOException {
        Attestation statement = sign(KEY, "k", EventKind.WRITE, hash("content"));
        assertThat(put(alice(statement), "k", "content").bytes()).isEqualTo(7);
        refused(BAD_STATEMENT, () -> put(alice(statement), "k", "content"));
        assertThat(delete("k").version()).isPresent();
        Duration window = Duration.ofMinutes(16);
        refusedPut(sign(KEY, "k", EventKind.WRITE, hash("content"), NOW.minus(window)));
        refusedPut(sign(KEY, "k", EventKind.WRITE, hash("content"), NOW.plus(window)));
        turnClockTo(NOW.plusSeconds(100));
        store.close();
        store = reopen();
        refusedPut(statement);
        assertThat(audit()).allMatch(AuditReport::isClean);
    }

    @Test
    void statementWhoseCommitFailedCanComeAgain() throws IOException {
        Attestation statement = sign(KEY, "k", EventKind.WRITE, hash("content"));
        ((FakeCube) cube).failNextCommit(new IOException("no"));
        assertThatThrownBy(() -> put(alice(statement), "k", "content"))
                .isInstanceOf(IOException.class);
        assertThat(put(alice(statement), "k", "content").bytes()).isEqualTo(7);
        refused(BAD_STATEMENT, () -> put(alice(statement), "k", "content"));
    }

    /** A commit that is too late for its causality is tried again by the store itself. */
    @Test
    void commitThatIsTriedAgainHasTheSameStatement() throws IOException {
        Attestation statement = sign(KEY, "k", EventKind.WRITE, hash("content"));
        ((FakeCube) cube).failNextCommit(new LateCommitException(NOW));
        assertThat(put(alice(statement), "k", "content").bytes()).isEqualTo(7);
        refused(BAD_STATEMENT, () -> put(alice(statement), "k", "content"));
        assertThat(audit()).allMatch(AuditReport::isClean);
    }

    @Test
    void oneStatementIsForOneKey() throws IOException {
        put("a", "");
        put("b", "");
        Attestation statement = sign(KEY, "a", EventKind.DELETE, Optional.empty());
        List<DeleteTarget> targets =
                List.of(
                        new DeleteTarget(key("a"), LATEST, WriteCondition.NONE),
                        new DeleteTarget(key("b"), LATEST, WriteCondition.NONE));
        refused(BAD_STATEMENT, () -> store.deleteAll(alice(statement), BUCKET, targets));
        assertThat(head("a")).isPresent();
    }

    @Test
    void withoutProvenanceThereIsNowhereToWriteIt() throws IOException {
        Attestation statement = sign(KEY, "k", EventKind.WRITE, hash("content"));
        store.close();
        isSigned = false;
        store = reopen();
        refused(INVALID_ARGUMENT, () -> put(alice(statement), "k", "content"));
    }
}
