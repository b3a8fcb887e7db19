package io.volute.provenance.anchor;

import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Verifies a sequence of checkpoints and the state of a chain at each. Reports errors as results
 * and throws no exception for them. Not thread-safe.
 */
public final class CheckpointAudit {
    private final KeyList keys;
    private Optional<Checkpoint> last = Optional.empty();

    /** The state of a chain at a checkpoint, or that the proof does not show it. */
    public sealed interface Verdict {
        /** This was its last entry then. */
        record Head(ChainHead head) implements Verdict {}

        /** There was no such chain then. */
        record Absent() implements Verdict {}

        /** The proof does not lead to this checkpoint. */
        record Unproven() implements Verdict {}
    }

    public CheckpointAudit(KeyList keys) {
        this.keys = keys;
    }

    /** Begins behind a checkpoint that is trusted, as one that was kept from the last audit. */
    public CheckpointAudit(KeyList keys, Checkpoint trusted) {
        this.keys = keys;
        last = Optional.of(trusted);
    }

    /**
     * Takes the next checkpoint.
     *
     * @return what is wrong with it; empty when nothing is
     */
    public List<String> next(Checkpoint checkpoint) {
        List<String> wrong = new ArrayList<>();
        Checkpoint.Body body = checkpoint.body();
        require(wrong, body.storeId().equals(keys.storeId()), "is of another store");
        boolean isListed =
                body.keyRecords() >= 1
                        && body.keyRecords() <= keys.size()
                        && keys.hash((int) body.keyRecords()).equals(body.keyHash());
        require(wrong, isListed, "knows another key list");
        if (isListed) {
            inForce(body, wrong);
        }
        for (SignerId signer : body.signers()) {
            require(wrong, isSigned(checkpoint, signer), "is not signed by " + signer);
        }
        last.ifPresent(before -> follows(before, checkpoint, wrong));
        if (wrong.isEmpty()) {
            last = Optional.of(checkpoint);
        }
        return named(checkpoint, wrong);
    }

    /**
     * The checkpoint has the key list of its commit, and a signer of each algorithm in force then.
     * A list that was cut short would hide an algorithm.
     */
    private void inForce(Checkpoint.Body body, List<String> wrong) {
        int records = (int) body.keyRecords();
        int then = keys.sizeBefore(body.commitSequence());
        require(wrong, records == then, "has " + records + " key records, not " + then);
        for (SignatureAlgorithm each : keys.algorithms(records, body.commitSequence())) {
            boolean has = body.signers().stream().anyMatch(it -> it.algorithm() == each);
            require(wrong, has, "has no signer of " + each + ", which was in force");
        }
    }

    private static void follows(Checkpoint before, Checkpoint next, List<String> wrong) {
        Checkpoint.Body old = before.body();
        Checkpoint.Body body = next.body();
        require(wrong, body.number() == old.number() + 1, "does not follow " + old.number());
        require(wrong, body.previous().equals(before.hash()), "follows another checkpoint");
        require(wrong, body.commitSequence() >= old.commitSequence(), "goes back in time");
        require(wrong, body.keyRecords() >= old.keyRecords(), "forgets keys");
    }

    private static void require(List<String> wrong, boolean is, String otherwise) {
        if (!is) {
            wrong.add(otherwise);
        }
    }

    private boolean isSigned(Checkpoint checkpoint, SignerId signer) {
        Optional<KeyGrant> grant = grant(signer, KeyRole.STORE, checkpoint);
        return grant.isPresent()
                && checkpoint
                        .signatures()
                        .of(signer)
                        .filter(
                                each ->
                                        grant.get()
                                                .key()
                                                .verifies(
                                                        Domain.CHECKPOINT_SIGNATURE,
                                                        checkpoint.signedBytes(),
                                                        each))
                        .isPresent();
    }

    private Optional<KeyGrant> grant(SignerId signer, KeyRole role, Checkpoint checkpoint) {
        return keys.find(signer)
                .filter(each -> each.role() == role)
                .filter(each -> each.isValidAt(checkpoint.body().commitSequence()));
    }

    /** Names of those who co-signed well, with a witness's key that was valid then. */
    public List<String> witnesses(Checkpoint checkpoint) {
        List<String> names = new ArrayList<>();
        checkpoint
                .witnesses()
                .bySigner()
                .forEach(
                        (signer, signature) ->
                                grant(signer, KeyRole.WITNESS, checkpoint)
                                        .filter(
                                                each ->
                                                        each.key()
                                                                .verifies(
                                                                        Domain.WITNESS_SIGNATURE,
                                                                        checkpoint.signedBytes(),
                                                                        signature))
                                        .ifPresent(each -> names.add(each.owner())));
        return names;
    }

    /**
     * Compares all heads, as {@link HeadsFile#read} gives their root, with a checkpoint. When
     * nothing is wrong, no chain is missing among them, none was added and none has another head.
     *
     * @return what is wrong; empty when nothing is
     */
    public static List<String> heads(Checkpoint checkpoint, MapRoot heads) {
        List<String> wrong = new ArrayList<>();
        MapRoot map = checkpoint.map();
        String counts = "has " + map.heads() + " chains, not " + heads.heads();
        require(wrong, map.heads() == heads.heads(), counts);
        require(wrong, map.root().equals(heads.root()), "has other heads");
        return named(checkpoint, wrong);
    }

    private static List<String> named(Checkpoint checkpoint, List<String> wrong) {
        String name = "checkpoint " + checkpoint.body().number() + " ";
        return wrong.stream().map(name::concat).toList();
    }

    /** Returns the state of a chain at a checkpoint, or {@link Verdict.Unproven}. */
    public static Verdict verdict(Checkpoint checkpoint, Hash chainId, MapProof proof) {
        Optional<Hash> root = proof.root(chainId);
        if (!root.equals(Optional.of(checkpoint.body().mapRoot()))) {
            return new Verdict.Unproven();
        }
        return switch (proof) {
            case MapProof.Present present -> new Verdict.Head(present.head());
            case MapProof.Nothing ignored -> new Verdict.Absent();
            case MapProof.Other ignored -> new Verdict.Absent();
        };
    }
}
