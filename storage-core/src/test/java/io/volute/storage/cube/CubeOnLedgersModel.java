package io.volute.storage.cube;

/** The same with segments on ledgers, which cannot be punched. */
class CubeOnLedgersModel extends CubeModel {
    @Override
    CubeFixture newFixture(long seed) {
        return CubeFixture.onLedgers(seed);
    }
}
