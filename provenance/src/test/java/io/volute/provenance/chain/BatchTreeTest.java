package io.volute.provenance.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.BatchPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BatchTreeTest {
    private static final int LEAVES_MAX = 40;

    private final List<Hash> links = new ArrayList<>();

    BatchTreeTest() {
        Random random = new Random(6);
        for (int i = 0; i < LEAVES_MAX; i++) {
            links.add(Samples.hash(random));
        }
    }

    @Test
    void hasTheShapeOfRfc6962() {
        for (int leaves = 1; leaves <= LEAVES_MAX; leaves++) {
            List<Hash> some = links.subList(0, leaves);
            assertThat(new BatchTree(some).root()).as("%d leaves", leaves).isEqualTo(root(some));
        }
    }

    @Test
    void pathsLeadToTheRootFromTheirLeafOnly() {
        for (int leaves = 1; leaves <= LEAVES_MAX; leaves++) {
            BatchTree tree = new BatchTree(links.subList(0, leaves));
            for (int index = 0; index < leaves; index++) {
                BatchPath path = tree.path(index);
                for (int other = 0; other < leaves; other++) {
                    BatchPath moved = new BatchPath(other, leaves, path.siblings());
                    assertThat(
                                    moved.root(links.get(index))
                                            .equals(java.util.Optional.of(tree.root())))
                            .as("leaf %d of %d at %d", index, leaves, other)
                            .isEqualTo(index == other);
                }
            }
        }
    }

    @Test
    void refusesPathsOfTheWrongLength() {
        BatchTree tree = new BatchTree(links.subList(0, 8));
        List<Hash> siblings = new ArrayList<>(tree.path(3).siblings());
        assertThat(new BatchPath(3, 8, siblings.subList(0, 2)).root(links.get(3))).isEmpty();
        siblings.add(Hash.ZERO);
        assertThat(new BatchPath(3, 8, siblings).root(links.get(3))).isEmpty();
    }

    /** The recursive definition. */
    private static Hash root(List<Hash> links) {
        if (links.size() == 1) {
            return Domain.LEAF.hash(links.getFirst());
        }
        int split = Integer.highestOneBit(links.size() - 1);
        return Domain.NODE.hash(
                root(links.subList(0, split)), root(links.subList(split, links.size())));
    }
}
