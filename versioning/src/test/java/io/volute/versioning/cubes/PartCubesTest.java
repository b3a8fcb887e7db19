package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.secrecy.AuditorKey;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.MovePhase;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store of part of the cubes, beside one that has the system cube. */
@CubesFixture.OnDisk
@Tag("slow")
class PartCubesTest extends PartFixture {
    @Test
    void aCubeGoesToTheOtherServerAndBack() throws Exception {
        cubes.create("one");
        bucket(BUCKET, "one");
        bucket("here", StoreCubes.SYSTEM);
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
        put(ALICE, BUCKET, "k", "first");
        put(ALICE, BUCKET, "k", "second");
        List<String> seen = seen(store);
        giveAway("one");
        assertThat(part.opened()).extracting(Opened::name).containsExactly("one");
        assertThat(seen(part.store())).isEqualTo(seen);
        assertThat(phase(cubes, "one")).isEqualTo(Phase.ELSEWHERE);
        assertThat(phase(part, "one")).isEqualTo(Phase.OPEN);
        assertThat(phase(part, StoreCubes.SYSTEM)).isEqualTo(Phase.ELSEWHERE);
        put(part.store(), BUCKET, "k", "third");
        put(ALICE, "here", "k", "served");
        assertThat(names(part.store())).containsExactly(BUCKET);
        assertThat(names(store)).containsExactly("here", BUCKET);
        seen = seen(part.store());
        part.release("one");
        cubes.take("one");
        assertThat(seen(store)).isEqualTo(seen);
        assertThat(get(BOB, BUCKET, "k")).isEqualTo("third");
        assertThatThrownBy(() -> get(part.store(), BOB, BUCKET, "k"))
                .hasMessage("cube one is on another node of the cluster");
        audit();
    }

    /** A node begins to serve, and to show its metrics, before it has its first cube. */
    @Test
    void aServerWithoutAnOpenCubeHasFigures() throws Exception {
        Provenance provenance = part.store().provenance().orElseThrow();
        assertThat(part.opened()).isEmpty();
        assertThat(provenance.lastCheckpoint()).isEmpty();
        assertThat(provenance.refusal()).isEmpty();
        assertThat(provenance.stats().entries()).isZero();
        assertThat(part.store().history().stats().kept()).isZero();
    }

    @Test
    void theOtherServerGoesOnWhileTheSystemCubeIsClosed() throws Exception {
        cubes.create("one");
        bucket(BUCKET, "one");
        giveAway("one");
        elsewhere.add("one");
        close();
        put(part.store(), BUCKET, "k", "meanwhile");
        open();
        assertThat(phase(cubes, "one")).isEqualTo(Phase.ELSEWHERE);
        assertThat(get(part.store(), BOB, BUCKET, "k")).isEqualTo("meanwhile");
        assertThat(names(store)).containsExactly(BUCKET);
    }

    private static List<String> auditors(StoreCubes of, String cube) {
        return of.opened().stream()
                .filter(each -> each.name().equals(cube))
                .findFirst()
                .flatMap(each -> each.store().provenance())
                .orElseThrow()
                .keys()
                .open(KeyRole.AUDITOR)
                .stream()
                .map(KeyGrant::owner)
                .toList();
    }

    private static PublicKey newAuditor() {
        return new PublicKey(
                SignatureAlgorithm.X25519, AuditorKey.generate(new SecureRandom()).publicKey());
    }

    /** Also while a cube is between two servers, and has neither. */
    @Test
    void theKeysOfAuditorsAndPrincipalsFollowTheSystemCube() throws Exception {
        cubes.create("one");
        cubes.create("two");
        Provenance keys = store.provenance().orElseThrow();
        keys.addAuditor("carol", newAuditor());
        giveAway("one");
        keys.addAuditor("dave", newAuditor());
        keys.endAuditor("carol");
        PublicKey carol = newAuditor();
        keys.addAuditor("carol", carol);
        PublicKey alice =
                SigningKey.generate(SignatureAlgorithm.ED25519, new SecureRandom()).publicKey();
        keys.addPrincipalKey("alice", alice);
        assertThat(auditors(cubes, "two")).containsExactly("dave", "carol");
        assertThat(auditors(part, "one")).containsExactly("carol");
        part.followKeys("one");
        assertThat(auditors(part, "one")).containsExactlyInAnyOrder("dave", "carol");
        part.followKeys("one");
        part.followKeys(StoreCubes.SYSTEM);
        part.release("one");
        keys.endAuditor("dave");
        keys.endPrincipalKey(alice.id());
        part.refresh();
        part.followKeys("one");
        part.take("one");
        // Of a list that is older than the cube's own: what it does not have is newer.
        part.opened()
                .getFirst()
                .store()
                .provenance()
                .orElseThrow()
                .addAuditor("erin", newAuditor());
        part.followKeys("one");
        assertThat(auditors(part, "one")).containsExactlyInAnyOrder("carol", "erin");
        part.opened().getFirst().store().provenance().orElseThrow().endAuditor("erin");
        KeyList list = part.opened().getFirst().store().provenance().orElseThrow().keys();
        assertThat(list.find(alice.id())).isPresent();
        assertThat(list.open(KeyRole.PRINCIPAL)).isEmpty();
        assertThat(list.open(KeyRole.AUDITOR)).extracting(KeyGrant::key).containsExactly(carol);
        assertThatThrownBy(
                        () ->
                                part.store()
                                        .provenance()
                                        .orElseThrow()
                                        .addAuditor("eve", newAuditor()))
                .hasMessageContaining("the node of cube default does that");
    }

    @Test
    void partsOfADividedBucketKeepTheirRanges() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket(BUCKET, "one");
        for (String key : List.of("a", "b", "m", "n")) {
            put(ALICE, BUCKET, key, "text of " + key);
        }
        assertThat(cubes.moves().split(name(BUCKET), key("m"), "two").from()).isEqualTo("one");
        awaitMoves();
        List<String> seen = seen(store);
        giveAway("one", "two");
        for (int starts = 0; starts < 2; starts++) {
            assertThat(seen(part.store())).isEqualTo(seen);
            assertThat(part.cubeOf(name(BUCKET))).contains("one");
            assertThat(part.cubeOf(name(BUCKET), key("a"))).contains("one");
            assertThat(part.cubeOf(name(BUCKET), key("x"))).contains("two");
            assertThat(part.moves().parts(name(BUCKET)))
                    .isEqualTo(cubes.moves().parts(name(BUCKET)));
            put(part.store(), BUCKET, "c" + starts, "low");
            put(part.store(), BUCKET, "x" + starts, "high");
            part.store().setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
            seen = seen(part.store());
            restartPart();
            part.take("one");
            part.take("two");
        }
        assertThat(cubes.cubeOf(name(BUCKET), key("x"))).contains("two");
        part.release("one");
        part.release("two");
        cubes.take("one");
        cubes.take("two");
        assertThat(seen(store)).isEqualTo(seen);
    }

    @Test
    void aDividedBucketIsDeletedInAllItsParts() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket(BUCKET, "one");
        assertThat(cubes.moves().split(name(BUCKET), key("m"), "two").from()).isEqualTo("one");
        awaitMoves();
        giveAway("one", "two");
        put(part.store(), BUCKET, "x", "in two");
        assertThatThrownBy(() -> store.deleteBucket(ALICE, name(BUCKET)))
                .isInstanceOf(StoreException.class);
        assertThat(names(store)).containsExactly(BUCKET);
        delete(part.store(), BUCKET, "x");
        store.deleteBucket(ALICE, name(BUCKET));
        assertThat(names(store)).isEmpty();
        assertThat(part.bucketsHere("one")).isEmpty();
        assertThat(part.bucketsHere("two")).isEmpty();
        assertThat(cubes.cubeOf(name(BUCKET))).isEmpty();
        assertThat(part.cubeOf(name(BUCKET))).isEmpty();
    }

    /** The owner of the parts ended between them. */
    @Test
    void aDividedBucketThatIsDeletedInItsHomeAloneGoesAtTheNextTake() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket(BUCKET, "one");
        assertThat(cubes.moves().split(name(BUCKET), key("m"), "two").from()).isEqualTo("one");
        awaitMoves();
        giveAway("one", "two");
        faulty.add("two");
        assertThatThrownBy(() -> store.deleteBucket(ALICE, name(BUCKET)))
                .isInstanceOf(IOException.class);
        assertThat(part.bucketsHere("one")).isEmpty();
        assertThat(names(store)).containsExactly(BUCKET);
        faulty.clear();
        cubes.reconcileElsewhere("one");
        assertThat(names(store)).as("its part is left").containsExactly(BUCKET);
        restartPart();
        part.take("one");
        part.take("two");
        assertThat(part.bucketsHere("two")).isEmpty();
        cubes.reconcileElsewhere("one");
        assertThat(names(store)).isEmpty();
    }

    /** The rows of the bucket would be served twice, one of them old. */
    @Test
    void leftoversOfAMoveAreNotServed() throws Exception {
        cubes.create("one");
        cubes.create("two");
        bucket(BUCKET, "one");
        put(ALICE, BUCKET, "k", "before the move");
        close();
        copyTree(cube("one"), directory.resolve("before"));
        open();
        faulty.add("one");
        assertThat(cubes.moves().start(name(BUCKET), "two").from()).isEqualTo("one");
        while (cubes.moves().list().getFirst().isRunning()) {
            Thread.onSpinWait();
        }
        assertThat(cubes.moves().list().getFirst().phase()).isEqualTo(MovePhase.CLEARING);
        put(ALICE, BUCKET, "k", "behind the move");
        faulty.clear();
        cubes.release("one");
        // As when nothing of the removal reached the log.
        Files.move(cube("one"), directory.resolve("after"));
        Files.move(directory.resolve("before"), cube("one"));
        giveAway("one");
        assertThat(part.bucketsHere("one")).isEmpty();
        assertThat(part.cubeOf(name(BUCKET))).contains("two");
        assertThat(part.moves().list()).hasSize(1).noneMatch(StoreCubes.Move::isRunning);
        part.release("one");
        cubes.take("one");
        awaitMoves();
        assertThat(get(BOB, BUCKET, "k")).isEqualTo("behind the move");
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)));
            }
        }
    }

    @Test
    void theOwnCatalogsAreRightBeforeThePlacements() throws Exception {
        cubes.create("one");
        cubes.create("two");
        giveAway("one", "two");
        bucket(BUCKET, "one");
        put(part.store(), BUCKET, "k", "in one");
        assertThat(part.cubeOf(name(BUCKET))).contains("one");
        delete(part.store(), BUCKET, "k");
        part.refresh();
        store.deleteBucket(ALICE, name(BUCKET));
        assertThat(part.cubeOf(name(BUCKET))).isEmpty();
        StoreException missing =
                catchThrowableOfType(
                        StoreException.class, () -> get(part.store(), BOB, BUCKET, "k"));
        assertThat(missing.reason()).isEqualTo(StoreException.Reason.NO_SUCH_BUCKET);
        bucket(BUCKET, "two");
        put(part.store(), BUCKET, "k", "in two");
        assertThat(part.cubeOf(name(BUCKET))).contains("two");
        assertThat(part.cubeOf(name(BUCKET), key("k"))).contains("two");
        assertThat(get(part.store(), BOB, BUCKET, "k")).isEqualTo("in two");
        assertThat(names(part.store())).containsExactly(BUCKET);
    }

    @Test
    void aCubeThatIsNotListedYetNeedsANewLook() throws Exception {
        cubes.create("one");
        assertThatThrownBy(() -> part.take("one")).hasMessageContaining("no cube one");
        cubes.release("one");
        part.refresh();
        part.take("one");
        assertThat(phase(part, "one")).isEqualTo(Phase.OPEN);
        part.release("one");
        cubes.take("one");
        String aside = cubes.delete("one");
        part.refresh();
        assertThat(aside).isNotEmpty();
        assertThat(part.list()).extracting(StoreCubes.CubeInfo::name).containsExactly("default");
        cubes.refresh();
        assertThat(cubes.list()).hasSize(1);
    }

    @Test
    void aBucketIsDeletedWhereItIsThenItsPlacementGoes() throws Exception {
        cubes.create("one");
        giveAway("one");
        bucket(BUCKET, "one");
        part.store().deleteBucket(ALICE, name(BUCKET));
        assertThat(part.bucketsHere("one")).isEmpty();
        assertThat(cubes.cubeOf(name(BUCKET))).contains("one");
        cubes.deletedElsewhere(name(BUCKET));
        assertThat(cubes.cubeOf(name(BUCKET))).isEmpty();
        cubes.deletedElsewhere(name(BUCKET));
    }

    @Test
    void whatTheOwnerOfTheSystemCubeDoesIsRefused() throws Exception {
        cubes.create("one");
        cubes.create("two");
        giveAway("one", "two");
        bucket(BUCKET, "one");
        for (ThrowingCallable each :
                List.<ThrowingCallable>of(
                        () -> part.create("three"),
                        () -> part.delete("two"),
                        () -> part.moves().start(name(BUCKET), "two"),
                        () -> part.moves().split(name(BUCKET), key("m"), "two"))) {
            assertThatThrownBy(each)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("the node of cube default does that");
        }
        for (ThrowingCallable each :
                List.<ThrowingCallable>of(
                        () -> part.store().createBucket(ALICE, name("new")),
                        () -> part.store().deleteBucket(ALICE, name("unknown")),
                        () -> part.reconcileElsewhere("one"),
                        () -> get(part.store(), ALICE, "unknown", "k"))) {
            assertThatThrownBy(each)
                    .isInstanceOfSatisfying(
                            CubeUnavailableException.class,
                            e -> assertThat(e.cube()).contains(StoreCubes.SYSTEM));
        }
        assertThat(part.bucketsHere("one")).hasSize(1);
    }

    @Test
    void historyChainsAndMessagesAreThoseOfTheOpenCubes() throws Exception {
        assertThat(part.store().provenance()).isPresent();
        assertThat(names(part.store())).isEmpty();
        assertThatThrownBy(() -> part.store().asOf(clock.instant()))
                .isInstanceOf(CubeUnavailableException.class);
        cubes.create("one");
        bucket(BUCKET, "one");
        bucket("here", StoreCubes.SYSTEM);
        store.setHistoryPolicy(ALICE, name(BUCKET), HistoryPolicy.EVERY_WRITE);
        put(ALICE, BUCKET, "k", "before");
        giveAway("one");
        Instant then = clock.instant();
        put(part.store(), BUCKET, "k", "after");
        assertThat(get(part.store().asOf(then), BOB, BUCKET, "k")).isEqualTo("before");
        assertThat(part.store().asOf(then).listBuckets(Optional.empty(), "", "", 10)).hasSize(1);
        assertThat(
                        part.store()
                                .history()
                                .states(ALICE, name(BUCKET), key("k"), Optional.empty(), 10)
                                .entries())
                .hasSize(2);
        assertThat(part.store().history().actors(ActorFilter.ALL, Optional.empty(), 10).entries())
                .isNotEmpty();
        assertThat(part.store().outbox().add("mail", at -> new byte[] {1}).cube()).isEqualTo("one");
        assertThat(part.store().outbox().next("mail", 10)).hasSize(1);
        BucketInfo info = part.store().bucket(name(BUCKET)).orElseThrow();
        assertThat(part.store().settings().resolution(info)).isPositive();
        part.store()
                .settings()
                .setDocument(name(BUCKET), BucketDocument.TAGGING, Optional.of("<Tagging/>"));
        assertThat(part.store().provenance().orElseThrow().keys()).isNotNull();
        assertThat(audit(part.store())).isPositive();
        assertThatThrownBy(() -> store.provenance().orElseThrow().rotateKeys())
                .hasMessageContaining("cube one is on another node");
    }

    @Test
    void aCubeThatFailedIsOpenedAgain() throws Exception {
        cubes.create("one");
        bucket(BUCKET, "one");
        giveAway("one");
        faulty.add("one");
        assertThatThrownBy(() -> put(part.store(), BUCKET, "k", "lost"))
                .isInstanceOf(IOException.class);
        faulty.clear();
        assertThat(part.reopen("one", false).name()).isEqualTo("one");
        part.awaitOpened(Duration.ofMinutes(1));
        put(part.store(), BUCKET, "k", "kept");
        assertThat(get(part.store(), BOB, BUCKET, "k")).isEqualTo("kept");
    }
}
