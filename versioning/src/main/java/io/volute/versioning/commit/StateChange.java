package io.volute.versioning.commit;

import io.volute.versioning.body.Origin;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectVersion;
import java.util.Optional;

/** A change of the versions of one key, for the listeners of a batch. Immutable. */
public sealed interface StateChange {
    ChangeKind kind();

    BucketInfo bucket();

    /** Returns the version or marker that the change adds, removes or rewrites. */
    ObjectVersion version();

    /** Returns the place of the change in the causal graph; empty if it adds nothing to that. */
    Optional<Effect> effect();

    /**
     * An effect of the writer.
     *
     * @param object the causal version of the key
     * @param source the state that it is copied from
     */
    record Effect(KeyVersion object, Optional<KeyVersion> source) {}

    /** A version was added. */
    record Put(BucketInfo bucket, ObjectVersion version, Origin origin, Optional<Effect> effect)
            implements StateChange {
        @Override
        public ChangeKind kind() {
            return ChangeKind.PUT;
        }
    }

    /** A delete marker was added. */
    record Mark(BucketInfo bucket, ObjectVersion version, Optional<Effect> effect)
            implements StateChange {
        @Override
        public ChangeKind kind() {
            return ChangeKind.MARK;
        }
    }

    /** A version or marker was removed. */
    record Remove(BucketInfo bucket, ObjectVersion version, Optional<Effect> effect)
            implements StateChange {
        @Override
        public ChangeKind kind() {
            return ChangeKind.REMOVE;
        }
    }

    /**
     * Attributes of a version were replaced in place.
     *
     * @param kind TAG, LOCK or ACL
     */
    record Rewrite(
            ChangeKind kind, BucketInfo bucket, ObjectVersion version, Optional<Effect> effect)
            implements StateChange {}
}
