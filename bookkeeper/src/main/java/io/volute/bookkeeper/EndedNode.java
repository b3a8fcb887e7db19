package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Owner;
import io.volute.bookkeeper.RoleRegistry.Elected;
import io.volute.bookkeeper.RoleRegistry.Seen;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;

/**
 * The ephemeral nodes of a process that has ended, which ZooKeeper would keep until the end of its
 * sessions. They are removed by one write, which fails if the process has renewed a lease
 * meanwhile. If it lives nevertheless, it is as if its sessions had ended: its leases end before
 * the next owners serve, and it registers again. Used by one thread.
 */
final class EndedNode {
    private final String name;
    private final ClusterSettings settings;
    private final ZooKeeperSession session;
    private final List<Op> removals = new ArrayList<>();
    private final Map<String, ClusterRole> roles = new HashMap<>();
    private final Set<String> removed = new HashSet<>();
    private boolean isAlive;

    /**
     * @param name of the node
     */
    EndedNode(String name, ClusterSettings settings, ZooKeeperSession session) {
        this.name = name;
        this.settings = settings;
        this.session = session;
    }

    /** Adds a role of the node, if it has it. */
    void add(ClusterRole role, Seen seen) {
        roles.put(role.registry().ownerPath(), role);
        Optional<Owner> owner =
                seen.elected().map(Elected::owner).filter(each -> each.name().equals(name));
        if (owner.isPresent() && role.overdue(seen).isPresent()) {
            removals.addAll(role.registry().removal(seen));
            removed.add(role.registry().ownerPath());
        } else if (owner.filter(Owner::isServing).isPresent()) {
            isAlive = true;
        }
    }

    /**
     * Removes all nodes of the process, and returns their number.
     *
     * @throws KeeperException if one of them has changed meanwhile
     */
    int remove() throws KeeperException, IOException {
        if (isAlive || removals.isEmpty()) {
            return 0;
        }
        for (String cube : session.children(settings.cubesPath())) {
            addCube(cube);
        }
        String registration = settings.nodesPath() + "/" + name;
        Stat stat = session.repeat(client -> client.exists(registration, false));
        if (stat != null) {
            removals.add(Op.delete(registration, stat.getVersion()));
        }
        return session.once(client -> client.multi(removals)).size();
    }

    /**
     * Adds the node of a cube that the process has open. If another node is elected for the cube,
     * it waits for a whole lease: the process can have opened the cube in another role.
     */
    private void addCube(String cube) throws KeeperException, IOException {
        String path = settings.cubesPath() + "/" + cube + "/owner";
        Stat stat = new Stat();
        try {
            byte[] text = session.repeat(client -> client.getData(path, false, stat));
            if (!BookKeeperSettings.isOf(text, name)) {
                return;
            }
        } catch (KeeperException.NoNodeException e) {
            return;
        }
        removals.add(Op.delete(path, stat.getVersion()));
        ClusterRole role = roles.get(settings.ownerPath(cube));
        if (role != null && !removed.contains(settings.ownerPath(cube))) {
            removals.add(role.registry().prolongation());
        }
    }
}
