// SPDX-License-Identifier: GPL-2.0-or-later
//
// The views, in the order of their tabs. To add one, add a file here and a line below.

import { claimsView } from "./claims.tsx";
import { curveView } from "./curve.tsx";
import { diffView } from "./diff.tsx";
import { faultsView } from "./faults.tsx";
import { filesView } from "./files.tsx";
import { flameView } from "./flame.tsx";
import { graphView } from "./graph.tsx";
import { heapMapView } from "./heapmap.tsx";
import { historyView } from "./history.tsx";
import { lifetimesView } from "./lifetimes.tsx";
import { overviewView } from "./overview.tsx";
import { recordsView } from "./records.tsx";
import { timelineView } from "./timeline.tsx";
import { treeView } from "./tree.tsx";
import { treemapView } from "./treemap.tsx";
import type { View } from "./view.ts";
import { wasteView } from "./waste.tsx";

export const VIEWS: readonly View[] = [historyView, curveView, overviewView, timelineView, recordsView, lifetimesView, flameView, faultsView, treeView, treemapView, graphView, wasteView, claimsView, heapMapView, diffView, filesView];
