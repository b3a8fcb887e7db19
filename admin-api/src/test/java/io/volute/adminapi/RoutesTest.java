package io.volute.adminapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RoutesTest {
    /** Routes of rows that only the system cube has: users, cubes, moves, nodes, placements. */
    private static final Set<String> OF_THE_STORE =
            Set.of(
                    "Cluster",
                    "MoveStore",
                    "DrainNode",
                    "ListCubes",
                    "CreateCube",
                    "DeleteCube",
                    "BucketParts",
                    "EncryptionKeys",
                    "RotateEncryptionKey",
                    "Auditors",
                    "SetAuditor",
                    "Principals",
                    "ListUsers",
                    "CreateUser",
                    "ProvisionUser",
                    "DeleteUser",
                    "CreateKey",
                    "SetKey",
                    "DeleteKey",
                    "ListGroups",
                    "CreateGroup",
                    "DeleteGroup",
                    "SetMember",
                    "ListRoles",
                    "CreateRole",
                    "DeleteRole",
                    "ListPolicies",
                    "PutPolicy",
                    "DeletePolicy",
                    "AttachPolicy",
                    "PutInlinePolicy",
                    "ListIdentityChanges");

    /** Routes that read the cubes of other nodes by calls, views or snapshots of their own. */
    private static final Set<String> BY_MEANS_OF_THEIR_OWN =
            Set.of("ListBuckets", "Actors", "Activity", "Trace", "StartBackup", "Backup");

    /** Routes that need their cubes on the node of the store, and refuse without them. */
    private static final Set<String> ON_THE_NODE_OF_THE_STORE =
            Set.of(
                    "ReopenCube",
                    "MigrateCube",
                    "MoveBucket",
                    "ListMoves",
                    "SplitBucket",
                    "MergeBucket");

    /** Routes about the node that answers. */
    private static final Set<String> OF_THE_NODE = Set.of("Version");

    /** A new route is in one cube, or has a merge, or is listed here with its reason. */
    @Test
    void noRouteForgetsTheOtherOwners() {
        Set<String> others = new TreeSet<>(OF_THE_STORE);
        List.of(BY_MEANS_OF_THEIR_OWN, ON_THE_NODE_OF_THE_STORE, OF_THE_NODE)
                .forEach(others::addAll);
        List<String> neither = new ArrayList<>();
        for (Route<?, ?> each : Routes.all()) {
            if (!each.isInOneCube() && !each.isOfAllOwners()) {
                neither.add(each.name());
            }
        }
        assertThat(neither).containsExactlyInAnyOrderElementsOf(others);
    }
}
