package io.volute.bookkeeper;

import io.volute.storage.log.ledger.SegmentList.Claimed;
import io.volute.storage.log.ledger.SegmentList.Listed;
import io.volute.storage.log.ledger.SegmentListView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Reads the segment list of one cube in ZooKeeper without a claim. Each change of the list changes
 * the version of its node, so pages that were read between two equal versions belong together.
 */
final class ZooKeeperListView implements SegmentListView {
    private final ZooKeeperSession session;
    private final String logPath;
    private int version = -1;
    private Optional<Claimed> last = Optional.empty();

    ZooKeeperListView(ZooKeeperSession session, BookKeeperSettings settings, String cube) {
        this.session = session;
        this.logPath = settings.cubePath(cube) + "/log";
    }

    /** {@inheritDoc} The list is that of the leader of ZooKeeper when the call began, or later. */
    @Override
    public synchronized Optional<Claimed> read() throws IOException {
        try {
            session.catchUp(logPath);
            Stat before = new Stat();
            Stat after;
            do {
                byte[] content = session.repeat(client -> client.getData(logPath, false, before));
                if (before.getVersion() == version) {
                    return last;
                }
                ListState state = ListState.decode(content, logPath);
                List<Listed> all = pages();
                after = session.repeat(client -> client.exists(logPath, false));
                if (after != null && after.getVersion() == before.getVersion()) {
                    version = before.getVersion();
                    last =
                            state.epoch() == 0
                                    ? Optional.empty()
                                    : Optional.of(new Claimed(state.epoch(), all));
                }
            } while (after != null && after.getVersion() != before.getVersion());
            return last;
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(logPath, e);
        }
    }

    private List<Listed> pages() throws KeeperException, IOException {
        List<Listed> all = new ArrayList<>();
        for (String name : session.repeat(client -> client.getChildren(logPath, false))) {
            String path = logPath + "/" + name;
            try {
                byte[] content = session.repeat(client -> client.getData(path, false, null));
                all.addAll(SegmentPage.decode(content, path).values());
            } catch (KeeperException.NoNodeException e) {
                // Its last segment has left the list, and the version of the list has changed.
                continue;
            }
        }
        return all;
    }
}
